"""Files of infrared frames: one protocol, one reader per format, opened by `open_source`."""

from emberscope.frames.registry import open_source
from emberscope.frames.source import FrameSource

__all__ = ["FrameSource", "open_source"]
