"""The Preview dock."""
