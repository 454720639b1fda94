"""Clustering of instances that reads no labels, and what clusters say once labels are read."""
