"""The Labels dock."""
