"""Rules that say which instances look like targets without any embedding, one module each, and how
they are joined.

Nothing is imported here; `table` lists them.
"""
