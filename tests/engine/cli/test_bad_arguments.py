"""Whatever a command is given, it ends with an exit code and one line of at most 300 characters,
never a defect."""

import logging
import os
import shlex
import subprocess
import sys

import numpy as np
import pytest

from emberscope.base.errors import LONGEST
from emberscope.cli import COMMANDS, main
from emberscope.project import Project
from emberscope.project.store.file import save

LONG = "x" * 70_000
# What each command reads; {bad} stands for a path that cannot be read as that.
READS = {
    "info": ["info {bad}"],
    "embed": ["embed {bad} --method pca --out o.npz"],
    "classify": ["classify {bad} --method knn"],
    "convert": ["convert {bad} o.npz"],
    "import": ["import q.ember {bad}", "import q.ember clip.npy --truth {bad}"],
    "export": ["export {bad} --to csv out"],
    "run": ["run --project {bad}", "run {bad} --project p.ember"],
    "recover": ["recover {bad}"],
    "score": ["score {bad} clip.npy --to out", "score p.ember {bad} --to out",
              "score p.ember {bad} --plan"],
    "replay": ["replay {bad}"],
    "study": ["study {bad} --project p.ember --out out",
              "study how-many-dimensions --project {bad} --out out"],
    "labels": ["labels {bad} --doubtful"],
    "tune": ["tune {bad} --to n.onnx", "tune p.ember --to n.onnx --weights {bad}"],
    "compare": ["compare {bad} 1 2"],
    "evaluate": ["evaluate {bad}"],
}
BAD_PATHS = [
    "nowhere",
    "folder",
    "empty",
    "noise",
    "empty/inside",
    "y" * 300,
    LONG,
    "/dev/null",
    "no-end",
]
# What each command writes; {bad} stands for a path that cannot be written.
WRITES = {
    "embed": ["embed in.npz --method pca --out {bad}"],
    "classify": ["classify in.npz --method knn --folds 3 --repeats 1 --out {bad}"],
    "convert": ["convert in.npz {bad}"],
    "generate": ["generate moons {bad}"],
    "export": [
        f"export p.ember --to {kind} {{bad}}"
        for kind in ("jsonl", "csv", "npz", "bags", "concepts", "png", "html")
    ],
    "import": ["import {bad}.ember clip.npy"],
    "demo": ["demo --headless --out {bad}"],
    "score": ["score p.ember clip.npy --to {bad}"],
    "reproduce": ["reproduce surfaces --only nothing --to {bad}"],
    "study": ["study how-many-dimensions --project p.ember --out {bad}",
              "study how-many-dimensions --project p.ember --out out --figure {bad}"],
}
# Words that are no id, number or choice.
WORDS = {
    "methods": ["methods {bad}"], "reproduce": ["reproduce {bad}"],
    "run": ["run {bad} --project p.ember"],
    "embed": ["embed in.npz --method {bad} --out o.npz",
              "embed in.npz --method pca --out o.npz --set {bad}",
              "embed in.npz --method pca --out o.npz --set n_components={bad}",
              "embed in.npz --method pca --out o.npz --seed {bad}",
              "embed in.npz --method pca --out o.npz --way {bad}",
              "embed in.npz --method are --out o.npz --together {bad}"],
    "classify": ["classify in.npz --method {bad}", "classify in.npz --method knn --reduce {bad}"],
    "export": ["export p.ember --to {bad} out", "export p.ember --to csv out --run {bad}",
               "export p.ember --figure strip o.svg --axes {bad}",
               "export p.ember --figure map-2d o.svg --graph {bad}",
               "export p.ember --figure map-2d o.svg --points {bad}",
               "export p.ember --figure ranking o.svg --threshold {bad}"],
    "import": ["import q.ember clip.npy --every {bad}"], "demo": ["demo --seed {bad}"],
    "convert": ["convert in.npz o.npz --variant {bad}"],
    "generate": ["generate {bad} o.npz", "generate moons o.npz --noise {bad}",
                 "generate moons o.npz --number {bad}", "generate roll {bad} --bags 3"],
    "info": ["info p.ember {bad}"],
    "doctor": ["doctor {bad}"],
    "recover": ["recover p.ember {bad}"], "cache": ["cache --bound {bad}", "cache {bad}"],
    "score": ["score p.ember clip.npy --to out --run {bad}"],
    "replay": ["replay p.ember --run {bad}"],
    "study": ["study {bad} --project p.ember --out out",
              "study how-many-dimensions --project p.ember --out out --workers {bad}",
              "study how-many-dimensions --project p.ember --out out --slurm {bad}"],
    "compare": ["compare p.ember {bad} 1", "compare p.ember 1 2 --neighbors {bad}"],
    "evaluate": ["evaluate p.ember --runs {bad}", "evaluate p.ember --level {bad}"],
    "labels": ["labels p.ember --doubtful --run {bad}", "labels p.ember --doubtful --top {bad}"],
}  # fmt: skip


def calls(table, bad):
    return [(call, word) for rows in table.values() for call in rows for word in bad]


def named(value):
    return value if len(value) < 60 else f"{value[:6]}..."


@pytest.fixture
def folder(tmp_path, monkeypatch, caplog):
    """A folder to work in, with a point set, a clip and a project that are well, and with what is
    not."""
    monkeypatch.chdir(tmp_path)
    # Tests in several processes cannot send names beyond UTF-8
    caplog.set_level(logging.CRITICAL, logger="emberscope")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    np.savez(
        "in.npz",
        X=rng.normal(size=(40, 4)),
        y=np.repeat([1, -1], 20),
        bag=np.arange(40) // 4,
        bag_y=[1, -1] * 5,
    )
    np.save("clip.npy", rng.integers(7000, 8000, (2, 32, 32), np.uint16))
    save(Project(), "p.ember")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "noise").write_bytes(rng.bytes(5000))
    (tmp_path / "no-end").symlink_to("no-end")
    return tmp_path


def answer(arguments, capsys):
    """The exit code and the line of a call that fails."""
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("emberscope: ")
    return code, line.removeprefix("emberscope: ")


def check(call, bad, capsys):
    code, line = answer([word.replace("{bad}", bad) for word in call.split()], capsys)
    assert code in (1, 2)
    assert len(line) <= LONGEST
    assert "defect" not in line


def test_every_command_is_tried():
    assert set(READS) | set(WRITES) | set(WORDS) == set(COMMANDS)


@pytest.mark.parametrize(("call", "bad"), calls(READS, BAD_PATHS), ids=named)
def test_what_cannot_be_read_is_said_in_a_line(call, bad, folder, capsys):
    check(call, bad, capsys)


@pytest.mark.parametrize(
    ("call", "bad"), calls(WRITES, ["empty/inside", "y" * 300, LONG]), ids=named
)
def test_what_cannot_be_written_is_said_in_a_line(call, bad, folder, capsys):
    check(call, bad, capsys)


@pytest.mark.parametrize(
    ("call", "bad"), calls(WORDS, ["no-such", LONG, "9" * 5000, "\u00e9\udcff"]), ids=named
)
def test_a_word_that_means_nothing_is_said_in_a_line(call, bad, folder, capsys):
    check(call, bad, capsys)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names in folders")
@pytest.mark.parametrize(
    "call", [row for rows in WRITES.values() for row in rows if "export" not in row]
)
def test_a_pipe_is_never_replaced_by_a_file(call, folder, capsys):
    os.mkfifo("pipe")
    os.mkfifo("pipe.ember")
    check(call, "pipe", capsys)
    assert (folder / "pipe").is_fifo()
    assert (folder / "pipe.ember").is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="written for a POSIX shell")
@pytest.mark.parametrize(
    ("output", "code"),
    [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), (">/dev/full", 1), ("2>/dev/full", 0)],
)
def test_a_command_whose_output_goes_nowhere_ends(output, code, folder):
    command = f"{shlex.quote(sys.executable)} -m emberscope import q.ember clip.npy {output}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == code
    assert (folder / "q.ember").exists()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_greek_letters_shows_the_rest(encoding, folder):
    command = [sys.executable, "-m", "emberscope", "methods", "s-le"]
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"S-LE" in done.stdout
