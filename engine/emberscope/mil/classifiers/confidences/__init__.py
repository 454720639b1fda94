"""Classifiers that give every instance a confidence of its own, and how two of them are fused."""
