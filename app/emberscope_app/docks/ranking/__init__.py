"""Instances and bags in the order of their scores."""
