"""The frame: canvas, label tools, overlay, contrast strip, timeline."""
