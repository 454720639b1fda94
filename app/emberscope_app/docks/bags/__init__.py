"""The Bags dock."""
