"""Projects, sources and folders whose names are no UTF-8, through every command that takes them."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from emberscope.cli import main
from emberscope.project.store.file import load

from .builders import a_clip_with_truth

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere every name is Unicode"
)
RECIPE = 'method = "pca"\n[bags]\npatch = 12\nstride = 6\n'
CRASH = """
import os, sys
from emberscope.project import PutSettings
from emberscope.project.store.open_project import OpenProject
opened = OpenProject.at(sys.argv[1])
opened.did(PutSettings(after={"a": 1}))
assert opened.flush()
os._exit(9)
"""


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    """With a clip and its truth."""
    folder = tmp_path / "day\udcff"
    folder.mkdir()
    for path in a_clip_with_truth(tmp_path):
        shutil.move(path, folder / f"clip\udcfe{path.suffix}")
    (folder / "r\udcfb.toml").write_text(RECIPE)
    return folder


def test_import_run_and_export_make_a_whole_loop(folder, capsys, few_trees):
    clip, truth = sorted(folder.glob("clip*"), key=lambda path: path.suffix, reverse=True)
    project = str(folder / "p\udcfd.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    assert main(["run", str(folder / "r\udcfb.toml"), "--project", project]) == 0
    assert main(["info", project]) == 0
    for form in ("jsonl", "csv", "npz", "png", "html"):
        assert main(["export", project, "--to", form, str(folder / "out\udcfc")]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "day\\xff/out\\xfc/p\\xfd.html" in printed.out
    printed.out.encode()
    endings = [path.suffix for path in (folder / "out\udcfc").iterdir()]
    assert sorted(endings) == [".csv", ".html", ".jsonl", ".npz", ".png"]
    again = str(folder / "again.ember")
    assert (
        main(["import", again, str(clip), "--truth", str(folder / "out\udcfc" / "p\udcfd.jsonl")])
        == 0
    )
    assert len(load(again).labels) == len(load(project).labels)


@pytest.mark.parametrize("words", [
    {}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii:strict"}, {"PYTHONIOENCODING": "latin-1"},
], ids=["utf-8", "C", "C without UTF-8", "ascii", "latin-1"])
def test_what_a_crash_left_is_said_whatever_the_terminal_takes(folder, words):
    project = folder / "p\udcfd.ember"
    clip = next(folder.glob("*.npy"))
    assert main(["import", str(project), str(clip)]) == 0
    subprocess.run([sys.executable, "-c", CRASH, os.fsencode(project)], check=False)
    call = "import sys; from emberscope.cli import main; sys.exit(main())"

    def said(*more):
        done = subprocess.run([sys.executable, "-c", call, "recover", os.fsencode(project), *more],
                              env={**os.environ, **words}, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    assert b"day\\xff/p\\xfd.ember: 1 action, " in said()
    [found] = json.loads(said("--json"))
    assert os.fsencode(found["project"]) == os.fsencode(project)


@pytest.mark.parametrize(
    "call",
    [
        ["info", "no\udcff"],
        ["recover", "no\udcff.ember"],
        ["embed", "no\udcff.npz", "--method", "pca", "--out", "x.npz"],
        ["export", "no\udcff.ember", "--to", "csv", "out"],
        ["run", "quick-look", "--project", "no\udcff.ember"],
        ["import", "no\udcff.ember", "no\udcff.npy"],
    ],
    ids=lambda call: call[0],
)
def test_what_is_not_there_is_named_with_the_byte_in_words(tmp_path, monkeypatch, capsys, call):
    monkeypatch.chdir(tmp_path)
    assert main(call) == 1
    printed = capsys.readouterr().err
    assert "no\\xff" in printed
    assert "defect" not in printed
