"""The Edits dock."""
