"""The bands of a source of several (colors, channels of a camera), each as a source of its own."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from emberscope.base.errors import ParamError
from emberscope.frames.readers.parts.base import Source
from emberscope.frames.source import FrameSource

_HINT = "Read features of the frames as they are shown: bands 0."


def open_band(source: FrameSource, band: int) -> FrameSource:
    """Band `band` of an open source, from 1, with the same frames; the caller closes it.

    Raises ParamError for a source whose frames have one band or are bands themselves, FormatError
    for a band that it does not have.
    """
    if not isinstance(source, Source) or "band" not in type(source).accepts:
        raise ParamError(f"{source.uri} has one band", hint=_HINT)
    opened = type(source)(source.uri, **{**source.options, "band": band})
    if opened.n_frames != source.n_frames or opened.shape != source.shape:
        opened.close()
        what = f"bands of {source.uri} are read as frames"
        raise ParamError(what, hint="Read one of them (band), then features see all.")
    return opened


@contextmanager
def open_bands(source: FrameSource, count: int) -> Iterator[list[FrameSource]]:
    """The first `count` bands of an open source; 0: the source as it is shown. Raises as
    `open_band`."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_band(source, k)) for k in range(1, count + 1)] or [source]
