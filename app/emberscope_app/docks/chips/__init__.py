"""The Chips dock."""
