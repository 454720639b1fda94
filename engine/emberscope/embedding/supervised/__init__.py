"""Embeddings that read instance labels."""
