"""The Log dock."""
