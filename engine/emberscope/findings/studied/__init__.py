"""What a study says: its grid, and its curve over an axis of numbers."""
