"""Labels as other programs write and read them: one module per format, their table in `table`."""
