"""Label tools: each turns one gesture on the canvas into one operation."""
