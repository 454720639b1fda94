"""Linear maps: Z = (X - mean) W, exact for new instances."""
