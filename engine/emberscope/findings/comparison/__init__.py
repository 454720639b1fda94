"""Runs beside each other: one map laid over another, a map in parts."""
