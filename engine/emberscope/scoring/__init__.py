"""Any clip scored by a run of a project: heat maps and detections on frames never labeled.

Nothing is imported here; `clips` begins.
"""
