"""What comes into a project from files of others, and what leaves it."""
