"""Truth: on the wrong clip of how many generated data sets; what an import of many box files
takes."""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import imagecodecs
import numpy as np

from emberscope.project.exchange.batch import Loosely, import_files

Row = tuple[str, float, str, str]
TESTS = Path(__file__).resolve().parents[2] / "tests" / "engine" / "project"
_LAYOUTS, _IMAGES, _CLIPS, _BOXES = 10_000, 5000, 100, 300
_VOC = ("<annotation><filename>{name}.png</filename>"
        "<size><width>320</width><height>256</height></size><object><name>Car</name>"
        "<bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax>"
        "</bndbox></object></annotation>")  # fmt: skip


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        yield from _wrong_clips(Path(name))
        yield from _many_images(Path(name))
        yield from _many_clips(Path(name))


def _wrong_clips(folder: Path) -> Iterator[Row]:
    sys.path.insert(0, str(TESTS))
    from truth_layouts import given, layout

    right = wrong = 0
    for seed in range(_LAYOUTS):
        found = layout(folder / "layouts" / str(seed), seed)
        if found.sources and found.owner:
            mine, others = given(found)
            right, wrong = right + len(mine), wrong + len(others)
    yield f"truth on the wrong clip, of {_LAYOUTS} data sets", wrong, "files", "0"
    yield "truth on its own clip", right, "files", ""


def _many_images(folder: Path) -> Iterator[Row]:
    frames, boxes, rng = folder / "frames", folder / "xml", np.random.default_rng(0)
    frames.mkdir()
    boxes.mkdir()
    ground = rng.normal(100, 12, (256, 320))
    for k in range(_IMAGES):
        image, x, y = np.roll(ground, k, 1), int(rng.integers(20, 260)), int(rng.integers(20, 200))
        image[y : y + 20, x : x + 30] += 60
        encoded = imagecodecs.png_encode(np.clip(image, 0, 255).astype(np.uint8), level=1)
        (frames / f"f{k:05d}.png").write_bytes(encoded)
        text = _VOC.format(name=f"f{k:05d}", x0=x, y0=y, x1=x + 30, y1=y + 20)
        (boxes / f"f{k:05d}.xml").write_text(text)
    for what, background, budget in (("", 4, "<= 30 s"), (", without background", 0, "")):
        start = time.process_time()
        import_files(
            folder / f"{background}.ember",
            [frames],
            truths=[boxes],
            how=Loosely(background=background),
        )
        yield (
            f"import of {_IMAGES} images and box files{what}",
            time.process_time() - start,
            "CPU s",
            budget,
        )


def _many_clips(folder: Path) -> Iterator[Row]:
    clips = folder / "clips"
    clips.mkdir()
    for k in range(_CLIPS):
        np.save(clips / f"clip_{k}.npy", np.full((_BOXES, 64, 64), k, np.uint8))
        lines = [f"{frame},{1 + frame % 40},9,12,9" for frame in range(_BOXES)]
        (clips / f"clip_{k}.csv").write_text("frame,x,y,w,h\n" + "\n".join(lines))
    start = time.perf_counter()
    import_files(folder / "clips.ember", [clips], truths=[clips], how=Loosely(u=0, background=0))
    yield (
        f"import of {_CLIPS} clips with {_CLIPS * _BOXES} boxes",
        time.perf_counter() - start,
        "s",
        "<= 5 s",
    )
