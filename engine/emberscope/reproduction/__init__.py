"""Published tables, computed again: what others printed beside what this program measures, and why
they differ."""
