"""Embeddings led by what an analyst knows beside labels:
changes of chips that do not matter, pairs, actions."""
