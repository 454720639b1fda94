"""What several readers share: their base, pieces of files, axes of arrays, gray, no-data values."""
