"""The Run dock."""
