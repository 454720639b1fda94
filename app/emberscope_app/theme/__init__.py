"""Look of the application: tokens of spec 08 section 10, glyphs, icons, controls. Colour belongs to data."""
