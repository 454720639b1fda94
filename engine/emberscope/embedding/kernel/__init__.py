"""Principal components of a kernel: of features, or of distances along the data."""
