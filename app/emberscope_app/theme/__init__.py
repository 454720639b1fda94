"""Look of the application: tokens, glyphs, icons, controls. Colour belongs to data."""
