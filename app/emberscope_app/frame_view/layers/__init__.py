"""What is drawn over a frame: labels, instances, concepts."""
