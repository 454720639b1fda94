"""Opening, saving and remembering projects and sources."""
