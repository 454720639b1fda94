"""One module per format of frames; `emberscope.frames.registry` is their table."""
