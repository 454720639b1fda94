"""Target concepts as files for other programs."""

import csv
import json

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.base.ids import bag_name, instance_name
from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import TABLE as HEADINGS
from emberscope.findings.concepts import concepts_of
from emberscope.report.export import export


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def files(with_concepts, tmp_path):
    return export(with_concepts, "concepts", tmp_path, name="p")


@pytest.fixture
def found(with_concepts):
    return concepts_of(with_concepts.runs[2])


def test_only_runs_with_concepts_are_written(files):
    assert [path.name for path in files] == [
        "p_run2_concepts.csv",
        "p_run2_concepts.json",
        "p_run2_causes.csv",
    ]


def test_the_table_has_a_row_per_concept_with_its_heaviest_feature(files, found):
    rows = read(files[0])
    assert [row["concept"] for row in rows] == [str(k + 1) for k in range(len(found))]
    assert rows[0]["feature 1"] == found.profile(0, 1)[0].name
    assert float(rows[0]["weight 1"]) == pytest.approx(found.profile(0, 1)[0].weight, rel=1e-3)
    assert int(rows[0]["witnesses"]) == len(found.witnesses(0))


def test_json_holds_all_features_of_every_concept(files, found):
    record = json.loads(files[1].read_text(encoding="utf-8"))
    first = record["concepts"][0]
    assert record["features"] == found.run.state["feature_names"]
    assert len(first["profile"]) == len(first["weights"]) == len(record["features"])
    assert first["witnesses"] == found.run.ids[found.witnesses(0)].tolist()
    assert record["suggested"] == found.suggested
    assert record["counts"] == counts_of(found).to_dict()


def test_every_positive_bag_has_its_cause(files, found):
    rows, run = read(files[2]), found.run
    positive = [k for k, label in enumerate(run.bag_labels) if label > 0]
    assert [row["bag"] for row in rows] == [bag_name(run.bag_ids[k]) for k in positive]
    of = found.bag_causes[0]
    assert rows[0]["concept"] == str(of.concept + 1)
    assert rows[0]["name"] == instance_name(int(run.ids[of.row]))
    assert float(rows[0]["cause"]) == pytest.approx(of.cause, rel=1e-4)


def test_without_concepts_it_says_what_to_run_and_leaves_no_folder(project, tmp_path):
    with pytest.raises(ProjectError, match="no run has target concepts"):
        export(project, "concepts", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_concept_that_no_instance_is_near_has_no_nearest_one(with_concepts, tmp_path):
    run = with_concepts.runs[2]
    nowhere = {
        **run.diagnostics,
        "concept_distances": np.full_like(run.diagnostics["concept_distances"], np.nan),
    }
    with_concepts.runs[2] = msgspec.structs.replace(run, diagnostics=nowhere)
    rows = read(export(with_concepts, "concepts", tmp_path, name="p")[0])
    assert {row["nearest instance"] for row in rows} == {""}
    assert {
        row[HEADINGS.index("nearest instance")]
        for row in concepts_of(with_concepts.runs[2]).table()
    } == {""}
