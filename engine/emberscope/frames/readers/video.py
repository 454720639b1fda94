"""Video through PyAV, with exact seeking: frame i is the i-th frame that decoding from the start
gives.

The packets are listed once, without decoding them; presentation times, sorted, number the frames. A
frame is reached by decoding forward from the key frame before it. Where packets do not tell (no
times, times twice, containers and codecs known for it), the file is decoded once instead, and
seeking is tried out: where it does not give the same images, every frame is counted from the start.
Long scans are kept in the user's cache folder, by `parts.video_index`.
"""

from collections import OrderedDict
from typing import Any, ClassVar

import av
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.monitor import monitored
from emberscope.frames.readers.parts.base import Source, check_frame
from emberscope.frames.readers.parts.cut_video import why_no_frame
from emberscope.frames.readers.parts.gray import check_band
from emberscope.frames.readers.parts.video_index import HINT, Index, decoded, index_of, open_video
from emberscope.frames.turning import matrix_turn

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
# Frames, or percent of its time, that a whole video may end early
ENDS_WITHIN = 3


class VideoSource(Source):
    """The first video stream of a file: gray uint8 in display units; deep gray codecs keep uint16
    counts."""

    format = "video"
    turns = True
    accepts: ClassVar[tuple[str, ...]] = ("band",)

    def _open(self) -> None:
        self._container: Any = None
        self._frames: Any = None
        self._at_pts: int | None = None
        self._matrix = 0  # how frames are to be turned, 0 until one was decoded
        self._floor = 0
        self._damaged: set[int] = set()  # frames that the decoder had to mend
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
        self._band: int | None = self.options.get("band")  # of red, green and blue
        if self._band is not None:
            check_band(self.uri, self._band, 3 if self._pixels == "gray" else 1)
        self._index = index_of(self.path, self.fingerprint(), monitored(self._monitor))
        self.n_frames = len(self._index.pts)
        if self.n_frames == 0:
            what, hint = why_no_frame(self.path) or ("it holds no frame that can be decoded", HINT)
            raise FormatError(self.uri, None, what, hint)
        self.shape = self._stored_shape = (context.height, context.width)
        container: Any = self._container
        if container.duration is None and not self._index.counted:
            self._leave_out_a_damaged_end()
        self._row = {int(pts): i for i, pts in enumerate(self._index.pts)}
        if self._index.counted:
            self.warnings.append(
                "Its frames carry no reliable times; each jump back decodes from the start."
            )
        self.dtype = np.dtype(np.uint8 if self._pixels == "gray" else np.uint16)
        rate = self._stream.average_rate or self._stream.guessed_rate
        self.fps = float(rate) if rate else None
        self._say_where_it_ends()
        self._facts = {"codec": context.name, "pixel_format": context.pix_fmt, "radiometric": False}
        if self._pixels == "gray" and not (context.pix_fmt or "").startswith("gray"):
            self._facts["bands"] = 3
        self._decode_to(0)
        self._turn = self._matrix

    def _leave_out_a_damaged_end(self) -> None:
        """Where nothing says how long the video should be, its last frame shows whether it was cut
        off."""
        pts, keys = self._index.pts, self._index.keys
        self._row = {int(time): i for i, time in enumerate(pts)}
        try:
            self._decode_to(self.n_frames - 1)
            damaged = self.n_frames - 1 in self._damaged
        except (FormatError, av.FFmpegError):
            damaged = True
        if damaged and self.n_frames > 1:
            self._kept.clear()
            self._index = Index(pts[:-1], keys[keys <= pts[-2]], cut=True)
            self.n_frames -= 1

    def _say_where_it_ends(self) -> None:
        """A note where frames stop well before the time that the header announces, as of a
        recording cut off."""
        if self._ends_early():
            return
        if self._index.cut:
            many = "1 frame" if self.n_frames == 1 else f"{self.n_frames} frames"
            self.truncated = True
            self.warnings.append(
                "It ends in the middle of a frame, as where a recording was cut off; the "
                f"{many} before it can be used."
            )

    def _ends_early(self) -> bool:
        """Whether it is shorter than the header announces, which a note says."""
        if not self.fps:
            return False
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
        early = promised - seen > max(ENDS_WITHIN / self.fps, promised * ENDS_WITHIN / 100)
        if early:
            self.truncated = True
            self.warnings.append(
                f"It ends after {seen:.1f} of {promised:.1f} seconds; the first {self.n_frames} "
                "frames can be used."
            )
        return early

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
        if frame.is_corrupt:
            self._damaged.add(row)
        self._matrix = self._matrix or _turn(frame)
        image = self._image_of(frame)
        image.flags.writeable = False
        self._kept[row] = image
        while len(self._kept) > 2 and len(self._kept) * image.nbytes > KEEP_BYTES:
            self._kept.popitem(last=False)

    def _image_of(self, frame: av.VideoFrame) -> NDArray:
        if self._band is None or self._pixels != "gray":
            return frame.to_ndarray(format=self._pixels)
        colors: NDArray = frame.to_ndarray(format="rgb24")
        return np.ascontiguousarray(colors[..., self._band - 1])

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
            self._floor, self._frames = 0, enumerate(decoded(self._container, self._stream))
        else:
            ahead = decoded(self._container, self._stream, key=key)
            self._floor, self._frames = key, ((frame.pts, frame) for frame in ahead)

    def _start_over(self) -> None:
        if self._container is not None:
            self._container.close()
        self._container, self._stream = open_video(self.path)

    def _close(self) -> None:
        if getattr(self, "_container", None) is not None:
            self._container.close()
            self._container = self._frames = None
            self._kept.clear()


def _turn(frame: av.VideoFrame) -> int:
    """How a frame is to be turned."""
    every: Any = frame.side_data  # its stubs know no names; what it lists depends on the release
    found = every.get("DISPLAYMATRIX")
    return 1 if found is None else matrix_turn(bytes(found))
