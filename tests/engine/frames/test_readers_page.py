"""The reader on the help page "Readers of your own", installed as the page says, opens files."""

import re
import sys
import tomllib
from importlib import resources

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source, registry
from emberscope.project.exchange.sources import describe, open_ref

COUNTS = np.arange(3 * 4 * 5, dtype="<u2").reshape(3, 4, 5)
PAGE = (resources.files("emberscope_resources") / "help/readers.md").read_text(encoding="utf-8")


def block(kind):
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return found


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The module of the page where Python looks for modules, and its entry point as an installer
    writes it."""
    place = tmp_path / "site"
    place.mkdir()
    (place / "tvx_reader.py").write_text(block("python"), encoding="utf-8")
    project = tomllib.loads(block("toml"))["project"]
    about = place / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
             for group, points in project["entry-points"].items()]
    (about / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(place)
    registry._plugins.cache_clear()
    yield tmp_path
    registry._plugins.cache_clear()
    sys.modules.pop("tvx_reader", None)


def recording(folder, frames=COUNTS, rate=25_000):
    data = b"TVX\0REC1" + np.array([*frames.shape, rate], "<u4").tobytes()
    for k, frame in enumerate(frames):
        data += np.array([40 * k], "<u4").tobytes() + frame.tobytes()
    (folder / "a.tvx").write_bytes(data)
    return folder / "a.tvx"


def test_it_opens_files_of_its_format(installed):
    with open_source(recording(installed)) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS)
        assert (source.fps, source.frame_meta(2)) == (25.0, {"time": "0.080 s"})
        assert source.meta()["camera"] == {"model": "TVX"}


def test_a_recording_that_ends_early_has_the_frames_it_holds(installed):
    path = recording(installed)
    path.write_bytes(path.read_bytes()[:-1])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (2, True)


def test_a_header_that_is_cut_is_one_error(installed):
    path = recording(installed)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(FormatError, match="byte 20: it ends inside its header"):
        open_source(path)


def test_a_project_opens_it_again(installed):
    with open_ref(describe(recording(installed))) as source:
        assert source.format == "tvx"
