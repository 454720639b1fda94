"""The stages of a course, one file each."""
