"""The points on show: where the maps have them, how they look, where they lie on a frame."""
