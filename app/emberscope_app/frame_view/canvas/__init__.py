"""The frame canvas: image, view, keys, tools."""
