"""Axis-parallel boxes that begin with all instances of positive bags."""
