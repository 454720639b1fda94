"""Whatever becomes of its output, a command ends with one sentence and the right code."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from emberscope.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="shells of Unix")


@pytest.fixture
def clip(tmp_path):
    np.save(
        tmp_path / "clip.npy",
        np.random.default_rng(0).integers(1000, 9000, (2, 24, 32)).astype(np.uint16),
    )
    return tmp_path / "clip.npy"


def call(words, redirection="", **environment):
    line = f"{sys.executable} -m emberscope {words} {redirection}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


@pytest.mark.parametrize("words", ["info {}", "info {} --json", "methods", "recover", "--help"])
def test_a_closed_output_takes_nothing_from_a_command(clip, words):
    ended = call(words.format(clip), ">&-")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_whoever_has_seen_enough_hears_no_more(clip):
    ended = call(f"info {clip}", "| head -c 0")
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk here")
def test_a_full_disk_behind_the_output_is_one_sentence(clip):
    ended = call(f"info {clip}", "> /dev/full")
    said = "No space left on device. Free some space, or write to another disk."
    assert (ended.returncode, ended.stderr) == (1, f"emberscope: {said}\n")


@pytest.mark.parametrize("code", ["latin-1", "ascii"])
def test_letters_that_a_terminal_has_no_code_for_stop_no_table(code):
    ended = call("methods", PYTHONIOENCODING=code)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_command_needs_neither_home_nor_cache(clip):
    nowhere = {
        "HOME": "/dev/null/home",
        "EMBERSCOPE_CACHE": "/dev/null/cache",
        "EMBERSCOPE_STATE": "/dev/null/state",
    }
    ended = call(f"import {clip.with_name('a.ember')} {clip}", **nowhere)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        "info {}",
        "embed {} --method pca --out o.npz",
        "classify {} --method citation-knn",
        "import p.ember {}",
        "export {} --to csv out",
        "run --project {}",
        "recover {}",
        "convert {} o.npz",
    ],
)
@pytest.mark.parametrize("name", ["pipe.npy", "pipe.ember"])
def test_a_pipe_is_one_sentence_whatever_it_is_given_as(tmp_path, words, name, monkeypatch, capsys):
    os.mkfifo(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main(words.format(tmp_path / name).split()) != 0
    ended = capsys.readouterr()
    assert "is a pipe, not a file" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_project_that_is_not_there_is_said_before_a_recipe_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "recipe.toml")
    ended = call(f"run {tmp_path / 'recipe.toml'} --project {tmp_path / 'p.ember'} < /dev/null")
    assert ended.stderr == f"emberscope: {tmp_path / 'p.ember'}: there is no such file.\n"
