"""The command that writes generated point sets."""

import json

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.datasets.generated import SETS, arrays_of, generated
from emberscope.project.store.file import load


def test_the_list_names_every_set(capsys):
    assert main(["generate", "--json"]) == 0
    assert [row["set"] for row in json.loads(capsys.readouterr().out)] == [row.id for row in SETS]


def test_a_file_holds_what_was_asked_for(tmp_path, capsys):
    out = tmp_path / "moons.npz"
    asked = ["--number=30", "--noise=0.1", "--irrelevant=4", "--bags=5", "--seed=7", "--json"]
    assert main(["generate", "moons", str(out), *asked]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["instances"], facts["features"], facts["seed"]) == (60, 6, 7)
    wanted = arrays_of(generated("moons", number=30, noise=0.1, irrelevant=4, bag_size=5, seed=7))
    with np.load(out) as found:
        assert all(np.array_equal(found[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("name", [row.id for row in SETS])
def test_what_is_written_becomes_a_project(name, tmp_path):
    out, project = tmp_path / f"{name}.npz", tmp_path / f"{name}.ember"
    assert main(["generate", name, str(out), "--number", "8"]) == 0
    assert main(["import", str(project), str(out)]) == 0
    made = generated(name, number=8).points
    bags = len(made.X) if made.bags is None else len(made.bags)
    assert len(load(project).labels) == bags


def test_without_a_file_to_write_it_says_so(capsys):
    assert main(["generate", "moons"]) == 2
    assert "name the file to write, as moons.npz" in capsys.readouterr().err
