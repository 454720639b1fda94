"""The Jobs dock."""
