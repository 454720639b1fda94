"""What views say of the run on show: its points, concepts, neighbors, learned facts."""
