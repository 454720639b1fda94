"""The Sources dock."""
