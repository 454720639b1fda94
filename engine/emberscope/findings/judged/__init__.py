"""What truth says of the held-out scores of runs: as data, in words, as plots and tiles."""
