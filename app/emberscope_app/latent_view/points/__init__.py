"""The points of the run on show: where they lie, how they look, how they are painted."""
