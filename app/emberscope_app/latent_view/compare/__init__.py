"""Maps of several runs, or parts of one map, side by side."""
