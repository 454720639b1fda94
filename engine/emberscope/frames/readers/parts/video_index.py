"""The index of a video: which frames it has, where decoding may start, whether seeking is true."""

import hashlib
import itertools
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
from av.container import InputContainer
from numpy.typing import NDArray

from emberscope.base.cache_file import SUFFIX, read_arrays, write_arrays
from emberscope.base.errors import FormatError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor
from emberscope.frames.readers.parts.cut_video import Until, ends_inside, whole_until, why_not

SLOW_SCAN = 0.5                      # seconds; longer scans are cached
TRUE_TIMES = {"mov", "matroska", "mpegts", "asf"}  # containers that store the time of every image
HIDDEN_PACKETS = {"vp8", "mpeg4"}     # codecs whose packets and frames need not pair up
_INDEX_VERSION = 3                   # another number where frames are numbered by another rule
CONTAINERS = (  # those that hold their frames themselves
    "mov,avi,matroska,mpeg,mpegts,mpegvideo,asf,asf_o,flv,live_flv,ogg,"
    "mxf,nut,ivf,m4v,h264,hevc,vc1,obu,av1,mjpeg,"
    "dv,wtv,rm,gif,apng,yuv4mpegpipe,mpegtsraw,nuv,r3d,gxf,lxf,roq,smk,swf,cavsvideo,dirac,h263"
)
TRIALS = 32                          # key frames tried out where seeking is in doubt
# Containers whose last packet is handed out where the file ends inside it
_LAST_IS_CUT = {"mpegts", "mjpeg"}
HINT = "Convert it, for example to lossless FFV1 in MKV."


class Index(NamedTuple):
    """Presentation times of all frames, ascending, and of those among them where decoding may
    start.

    `counted`: times are of no use here; `pts` is 0, 1, 2 ... and decoding starts at the start.
    `cut`: the file ends in the middle of a frame that is not among these.
    """

    pts: NDArray[np.int64]
    keys: NDArray[np.int64]
    counted: bool = False
    cut: bool = False


def open_video(path: Path) -> tuple[InputContainer, av.VideoStream]:
    """A container and its first video stream, up to where it was cut off. Raises FormatError."""
    # Only this very file is read: a playlist or reference movie could name others, under whatever
    # ending.
    alone = {"protocol_whitelist": "file", "enable_drefs": "0", "format_whitelist": CONTAINERS}
    try:
        container = av.open(str(path), options=alone)
    except av.error.ArgumentError as error:  # of none of them
        raise FormatError(
            str(path), None, "it is no video of a kind that is read here", HINT
        ) from error
    except (av.error.InvalidDataError, av.error.EOFError) as error:
        end = whole_until(path)
        if end is None:
            raise FormatError(str(path), None, *why_not(path)) from error
        try:
            container = av.open(Until(path, end), mode="r", options=alone)
        except av.FFmpegError:
            raise FormatError(str(path), None, *why_not(path)) from error
    if not container.streams.video:
        container.close()
        raise FormatError(str(path), None, "it holds no video stream", "Choose another file.")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    return container, stream


def decoded(
    container: InputContainer, stream: av.VideoStream, *, key: int | None = None
) -> Iterator[av.VideoFrame]:
    """Frames in presentation order, from the packet of key frame `key` on where one is given.

    Nothing comes where that packet is not ahead. Packets that cannot be decoded are passed over.
    """
    for packet in container.demux(stream):
        if key is not None:
            if not packet.is_keyframe or packet.pts is None or packet.pts < key:
                continue
            if packet.pts > key:
                return
            key = None
        if packet.is_corrupt and container.format.name != "mpegts":
            continue  # the file ends inside it; the decoder would lose the image before it as well
        try:
            yield from packet.decode()
        except av.error.EOFError:
            return
        except (av.error.InvalidDataError, av.error.PatchWelcomeError):
            continue


def index_of(path: Path, fingerprint: str, monitor: Monitor) -> Index:
    """The index of a video, from the cache where it is there. Raises FormatError, Cancelled."""
    kept = _stored(fingerprint)
    if kept is not None:
        return kept
    started = time.monotonic()
    found = _packet_index(path, monitor) or _decoded_index(path, monitor)
    if time.monotonic() - started > SLOW_SCAN:
        store(fingerprint, found)
    return found


def _packet_index(path: Path, monitor: Monitor) -> Index | None:
    """The index as the packets tell it, None where they cannot be relied on."""
    container, stream = open_video(path)
    with container:
        intra = stream.codec_context.codec.intra_only
        if not intra and not (
            _stores_times(container) and stream.codec_context.name not in HIDDEN_PACKETS
        ):
            return None
        size = max(path.stat().st_size, 1)
        pts, keys, whole = [], [], 0
        cut = ends_inside(path, container.format.name) or whole_until(path) is not None
        for packet in container.demux(stream):
            if not packet.size:
                continue
            if packet.pts is None:
                return None
            if packet.is_keyframe:
                keys.append(packet.pts)  # frames may build on one that is cut out
            if packet.is_discard:
                continue
            pts.append(packet.pts)
            whole = whole if packet.is_corrupt else len(pts)
            if len(pts) % 4096 == 0:
                monitor.step(min((packet.pos or 0) / size, 1.0), "Listing frames")
    cut = cut or whole < len(pts)
    if container.format.name in _LAST_IS_CUT and cut:
        whole = min(whole, len(pts) - 1)
    pts = pts[:whole]  # the file ends in the middle of the others
    if not keys or len(set(pts)) < len(pts):
        return None
    times = np.sort(np.array(pts, np.int64))
    return Index(times[times >= min(keys)], np.sort(np.array(keys, np.int64)), cut=cut)


def _stores_times(container: InputContainer) -> bool:
    return bool(TRUE_TIMES.intersection(container.format.name.split(",")))


def _decoded_index(path: Path, monitor: Monitor) -> Index:
    """The index from decoding the whole file, and from trying out whether seeking gives the same
    images."""
    container, stream = open_video(path)
    with container:
        total = stream.frames or 0
        pts: list[Any] = []  # None where a frame has no time
        keys: list[Any] = []
        sums: list[int] = []
        whole = 0  # frames up to the last that the decoder had not to mend
        for count, frame in enumerate(decoded(container, stream)):
            pts.append(frame.pts)
            sums.append(_checksum(frame))
            whole = whole if frame.is_corrupt else len(pts)
            if frame.key_frame:
                keys.append(frame.pts)
            if count % 64 == 0:
                monitor.step(
                    min(count / total, 1.0) if total else 0.0, "Decoding to number the frames"
                )
    cut = 0 < whole < len(pts)
    if cut:
        pts, sums = pts[:whole], sums[:whole]
        keys = [key for key in keys if key in pts]
    ordered = all(a is not None and b is not None and a < b for a, b in itertools.pairwise(pts))
    if ordered and keys and None not in pts and _seeks_well(path, dict(zip(pts, sums)), keys):
        return Index(np.array(pts, np.int64), np.array(keys, np.int64), cut=cut)
    return Index(np.arange(len(pts)), np.zeros(1, np.int64), counted=True, cut=cut)


def _seeks_well(path: Path, sums: dict[int, int], keys: list[int]) -> bool:
    """Whether decoding from key frames in the middle gives the images that decoding from the start
    gave."""
    spread = np.unique(np.linspace(0, len(keys) - 1, TRIALS).astype(int))
    container, stream = open_video(path)
    with container:
        for row in spread:
            key, following = keys[row], keys[min(row + 1, len(keys) - 1)]
            container.seek(key, stream=stream, backward=True)
            wanted = {pts for pts in sums if key <= pts <= following}
            for frame in decoded(container, stream, key=key):
                if frame.pts in wanted and sums[frame.pts] != _checksum(frame):
                    return False
                wanted.discard(frame.pts)
                if not wanted or frame.pts is None or frame.pts > following:
                    break
            if wanted:
                return False
    return True


def _checksum(frame: av.VideoFrame) -> int:
    return zlib.crc32(bytes(frame.planes[0]))


def kept_at(fingerprint: str) -> tuple[Path, str]:
    """File and key of an index: of this very file, as this version of the decoder lists it."""
    key = f"{fingerprint} {av.__version__} {_INDEX_VERSION}"
    name = hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()
    return cache_folder() / "video-index" / f"{name}{SUFFIX}", key


def _stored(fingerprint: str) -> Index | None:
    """The index kept for this very file, None where there is none that can be read."""
    found = read_arrays(*kept_at(fingerprint))
    return None if found is None else Index(found[0], found[1], bool(found[2]), bool(found[3]))


def store(fingerprint: str, index: Index) -> None:
    """Keep an index; a cache that cannot be written is no error."""
    facts = [np.array(index.counted), np.array(index.cut)]
    write_arrays(*kept_at(fingerprint), [index.pts, index.keys, *facts])
