"""Lists whose rows are data: cells on lines, one painter for each kind of cell, one model, one
delegate."""
