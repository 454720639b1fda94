"""Weakly supervised reduction: coordinates learned from bags, one module per method."""
