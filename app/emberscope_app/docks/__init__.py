"""One folder per dock, model and view together."""
