"""Runs judged by truth on bags that were held out: curves, slices, and two runs side by side."""
