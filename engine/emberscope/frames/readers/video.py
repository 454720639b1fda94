"""Video through PyAV, with exact seeking: frame i is the i-th frame that decoding from the start
gives.

The packets are listed once, without decoding them; presentation times, sorted, number the frames. A
frame is reached by decoding forward from the key frame before it. Where packets do not tell (no
times, times twice, containers and codecs known for it), the file is decoded once instead, and
seeking is tried out: where it does not give the same images, every frame is counted from the start.
Long scans are kept in the user's cache folder.
"""

import hashlib
import itertools
import time
import zlib
from collections import OrderedDict
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
from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.readers.parts.base import Source, check_frame
from emberscope.frames.turning import matrix_turn

SLOW_SCAN = 0.5                      # seconds; longer scans are cached
MAX_PIXELS = 1 << 26                 # of a frame; a decoder keeps twenty and more of them
KEEP_BYTES = 64 * 1024 * 1024        # decoded frames kept, for stepping back
DEEP = {
    "gray10le",
    "gray12le",
    "gray14le",
    "gray16le",
    "gray10be",
    "gray12be",
    "gray14be",
    "gray16be",
}
TRUE_TIMES = {"mov", "matroska", "mpegts", "asf"}  # containers that store the time of every image
HIDDEN_PACKETS = {"vp8", "mpeg4"}     # codecs whose packets and frames need not pair up
_INDEX_VERSION = 2                   # another number where frames are numbered by another rule
CONTAINERS = (  # those that hold their frames themselves
    "mov,avi,matroska,mpeg,mpegts,mpegvideo,asf,asf_o,flv,live_flv,ogg,mxf,nut,ivf,m4v,h264,hevc,vc1,obu,av1,mjpeg,"
    "dv,wtv,rm,gif,apng,yuv4mpegpipe,mpegtsraw,nuv,r3d,gxf,lxf,roq,smk,swf,cavsvideo,dirac,h263"
)
# Frames, or percent of its time, that a whole video may end early
ENDS_WITHIN = 3
TRIALS = 32                          # key frames tried out where seeking is in doubt
HINT = "Convert it, for example to lossless FFV1 in MKV."


class Index(NamedTuple):
    """Presentation times of all frames, ascending, and of those among them where decoding may
    start.

    `counted`: times are of no use here; `pts` is 0, 1, 2 ... and decoding starts at the start.
    """

    pts: NDArray[np.int64]
    keys: NDArray[np.int64]
    counted: bool = False


class VideoSource(Source):
    """The first video stream of a file: gray uint8 in display units; deep gray codecs keep uint16
    counts."""

    format = "video"
    turns = True

    def _open(self) -> None:
        self._container: Any = None
        self._frames: Any = None
        self._at_pts: int | None = None
        self._matrix = 0  # how frames are to be turned, 0 until one was decoded
        self._floor = 0
        self._kept: OrderedDict[int, NDArray] = OrderedDict()
        self._index = Index(np.empty(0, np.int64), np.empty(0, np.int64))
        self._start_over()
        context = self._stream.codec_context
        check_frame(self.uri, (context.height, context.width), 4)
        if context.height * context.width > MAX_PIXELS:
            what = (
                f"frames of {context.width} x {context.height} pixels are larger than any video has"
            )
            raise FormatError(self.uri, None, what, HINT)
        self._pixels = self._gray_format(context)
        self._index = _index(self.path, self.fingerprint(), monitored(self._monitor))
        self.n_frames = len(self._index.pts)
        if self.n_frames == 0:
            raise FormatError(self.uri, None, "it holds no frame that can be decoded", HINT)
        self._row = {int(pts): i for i, pts in enumerate(self._index.pts)}
        if self._index.counted:
            self.warnings.append(
                "Its frames carry no reliable times; each jump back decodes from the start."
            )
        self.shape = self._stored_shape = (context.height, context.width)
        self.dtype = np.dtype(np.uint8 if self._pixels == "gray" else np.uint16)
        rate = self._stream.average_rate or self._stream.guessed_rate
        self.fps = float(rate) if rate else None
        self._say_where_it_ends()
        self._facts = {"codec": context.name, "pixel_format": context.pix_fmt, "radiometric": False}
        self._decode_to(0)
        self._turn = self._matrix

    def _say_where_it_ends(self) -> None:
        """A note where frames stop well before the time that the header announces, as of a
        recording cut off."""
        if not self.fps:
            return
        times = self._index.pts
        seen = self.n_frames / self.fps
        if not self._index.counted and self._stream.time_base:
            seen = float((int(times[-1]) - int(times[0])) * self._stream.time_base) + 1 / self.fps
        promised = self._stream.frames / self.fps
        if (
            "mov" in self._container.format.name
            and self._stream.duration
            and self._stream.time_base
        ):
            # Some may be cut out
            promised = min(promised, float(self._stream.duration * self._stream.time_base))
        if self._container.duration and len(self._container.streams) == 1:  # else sound may go on
            promised = max(promised, self._container.duration / av.time_base)
        if promised - seen > max(ENDS_WITHIN / self.fps, promised * ENDS_WITHIN / 100):
            self.truncated = True
            self.warnings.append(
                f"It ends after {seen:.1f} of {promised:.1f} seconds; the first {self.n_frames} "
                "frames can be used."
            )

    def _gray_format(self, context: av.VideoCodecContext) -> str:
        if context.pix_fmt not in DEEP:
            self.units, self.bit_depth = "display8", 8
            return "gray"
        self.bit_depth = int("".join(filter(str.isdigit, context.pix_fmt)))
        return context.pix_fmt.replace("be", "le")

    def _read(self, index: int) -> NDArray:
        if index not in self._kept:
            self._decode_to(index)
        self._kept.move_to_end(index)
        return self._kept[index]

    def _frame_meta(self, index: int) -> dict[str, Any]:
        since = int(self._index.pts[index] - self._index.pts[0])
        return {"seconds": float(since * self._stream.time_base)} if self._stream.time_base else {}

    def _decode_to(self, index: int) -> None:
        """Decode frames, keeping them, until frame `index` comes by."""
        target = int(self._index.pts[index])
        keys = self._index.keys
        row = max(int(np.searchsorted(keys, target, side="right")) - 1, 0)
        near = self._at_pts is not None and keys[row] <= self._at_pts < target
        if near and self._forward(index, target):
            return
        # Containers seek by decoding time and may land behind the key frame; from the start is
        # always right.
        for via in (keys[row], keys[max(row - 1, 0)], keys[max(row - 4, 0)], None):
            self._seek(int(keys[row]), via=None if via is None else int(via))
            if self._forward(index, target):
                return
        raise FormatError(self.uri, None, f"frame {index} cannot be decoded", HINT)

    def _forward(self, index: int, target: int) -> bool:
        """Decode on from here; True once frame `index` has come by, False when it is missed."""
        for pts, frame in self._frames:
            if pts is None or pts < self._floor:
                continue  # images shown before the key frame may build on what was not decoded
            self._at_pts = pts
            row = self._row.get(pts)
            if row is not None:
                self._keep(row, frame)
            if row == index:
                return True
            if pts > target:
                return False
        return False

    def _keep(self, row: int, frame: av.VideoFrame) -> None:
        if (frame.height, frame.width) != self._stored_shape:
            raise FormatError(
                self.uri,
                None,
                f"the image size changes at frame {row} to {frame.width} x {frame.height}",
                "Cut the file there.",
            )
        self._matrix = self._matrix or _turn(frame)
        image = frame.to_ndarray(format=self._pixels)
        image.flags.writeable = False
        self._kept[row] = image
        while len(self._kept) > 2 and len(self._kept) * image.nbytes > KEEP_BYTES:
            self._kept.popitem(last=False)

    def _seek(self, key: int, *, via: int | None) -> None:
        """Stand before key frame `key`: seek to time `via` and skip packets, or skip from the start
        for None."""
        if via is None or self._index.counted:
            self._start_over()
        else:
            try:
                self._container.seek(via, stream=self._stream, backward=True)
            except av.FFmpegError:
                self._start_over()
        self._at_pts = None
        if self._index.counted:
            self._floor, self._frames = 0, enumerate(_decoded(self._container, self._stream))
        else:
            decoded = _decoded(self._container, self._stream, key=key)
            self._floor, self._frames = key, ((frame.pts, frame) for frame in decoded)

    def _start_over(self) -> None:
        if self._container is not None:
            self._container.close()
        self._container, self._stream = _open(self.path)

    def _close(self) -> None:
        if getattr(self, "_container", None) is not None:
            self._container.close()
            self._container = self._frames = None
            self._kept.clear()


def _turn(frame: av.VideoFrame) -> int:
    """How a frame is to be turned."""
    every: Any = frame.side_data  # its stubs take it for a mapping
    found = next((side for side in every if side.type.name == "DISPLAYMATRIX"), None)
    return 1 if found is None else matrix_turn(bytes(found))


def _open(path: Path) -> tuple[InputContainer, av.VideoStream]:
    # Only this very file is read: a playlist or reference movie could name others, under whatever
    # ending.
    alone = {"protocol_whitelist": "file", "enable_drefs": "0", "format_whitelist": CONTAINERS}
    try:
        container = av.open(str(path), options=alone)
    except av.error.ArgumentError as error:  # of none of them
        raise FormatError(
            str(path), None, "it is no video of a kind that is read here", HINT
        ) from error
    if not container.streams.video:
        container.close()
        raise FormatError(str(path), None, "it holds no video stream", "Choose another file.")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    return container, stream


def _decoded(
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


def _index(path: Path, fingerprint: str, monitor: Monitor) -> Index:
    """The index of a video, from the cache where it is there."""
    kept = _stored(fingerprint)
    if kept is not None:
        return kept
    started = time.monotonic()
    found = _packet_index(path, monitor) or _decoded_index(path, monitor)
    if time.monotonic() - started > SLOW_SCAN:
        _store(fingerprint, found)
    return found


def _packet_index(path: Path, monitor: Monitor) -> Index | None:
    """The index as the packets tell it, None where they cannot be relied on."""
    container, stream = _open(path)
    with container:
        intra = stream.codec_context.codec.intra_only
        if not intra and not (
            _stores_times(container) and stream.codec_context.name not in HIDDEN_PACKETS
        ):
            return None
        size = max(path.stat().st_size, 1)
        pts, keys, whole = [], [], 0
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
    pts = pts[:whole]  # the file ends in the middle of the others
    if not keys or len(set(pts)) < len(pts):
        return None
    times = np.sort(np.array(pts, np.int64))
    return Index(times[times >= min(keys)], np.sort(np.array(keys, np.int64)))


def _stores_times(container: InputContainer) -> bool:
    return bool(TRUE_TIMES.intersection(container.format.name.split(",")))


def _decoded_index(path: Path, monitor: Monitor) -> Index:
    """The index from decoding the whole file, and from trying out whether seeking gives the same
    images."""
    container, stream = _open(path)
    with container:
        total = stream.frames or 0
        pts: list[Any] = []  # None where a frame has no time
        keys: list[Any] = []
        sums: list[int] = []
        for count, frame in enumerate(_decoded(container, stream)):
            pts.append(frame.pts)
            sums.append(_checksum(frame))
            if frame.key_frame:
                keys.append(frame.pts)
            if count % 64 == 0:
                monitor.step(
                    min(count / total, 1.0) if total else 0.0, "Decoding to number the frames"
                )
    ordered = all(a is not None and b is not None and a < b for a, b in itertools.pairwise(pts))
    if ordered and keys and None not in pts and _seeks_well(path, dict(zip(pts, sums)), keys):
        return Index(np.array(pts, np.int64), np.array(keys, np.int64))
    return Index(np.arange(len(pts)), np.zeros(1, np.int64), counted=True)


def _seeks_well(path: Path, sums: dict[int, int], keys: list[int]) -> bool:
    """Whether decoding from key frames in the middle gives the images that decoding from the start
    gave."""
    spread = np.unique(np.linspace(0, len(keys) - 1, TRIALS).astype(int))
    container, stream = _open(path)
    with container:
        for row in spread:
            key, following = keys[row], keys[min(row + 1, len(keys) - 1)]
            container.seek(key, stream=stream, backward=True)
            wanted = {pts for pts in sums if key <= pts <= following}
            for frame in _decoded(container, stream, key=key):
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


def _kept_at(fingerprint: str) -> tuple[Path, str]:
    """File and key of an index: of this very file, as this version of the decoder lists it."""
    key = f"{fingerprint} {av.__version__} {_INDEX_VERSION}"
    name = hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()
    return cache_folder() / "video-index" / f"{name}{SUFFIX}", key


def _stored(fingerprint: str) -> Index | None:
    """The index kept for this very file, None where there is none that can be read."""
    found = read_arrays(*_kept_at(fingerprint))
    return None if found is None else Index(found[0], found[1], bool(found[2]))


def _store(fingerprint: str, index: Index) -> None:
    """Keep an index; a cache that cannot be written is no error."""
    write_arrays(*_kept_at(fingerprint), [index.pts, index.keys, np.array(index.counted)])
