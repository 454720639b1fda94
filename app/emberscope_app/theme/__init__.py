"""Look of the application: tokens, glyphs, icons, controls. Color belongs to data."""
