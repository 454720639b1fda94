"""Probability models with few hidden coordinates."""
