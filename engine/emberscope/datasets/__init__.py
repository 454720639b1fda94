"""Point sets: instances that are rows of numbers already, with their labels and bags."""
