"""Generated echoes of a ground-penetrating radar."""
