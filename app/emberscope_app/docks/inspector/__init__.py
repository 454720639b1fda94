"""The Inspector dock."""
