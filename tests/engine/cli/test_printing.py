"""Facts printed as JSON."""

import json

from emberscope.cli import main
from emberscope.cli.printing import print_concepts, print_facts
from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import concepts_of
from emberscope.project import Project, PutRuns
from emberscope.project.store.file import save

from ..findings.test_concepts import concept_run
from ..project.builders import a_run


def test_json_has_null_for_numbers_that_are_none(tmp_path, capsys):
    project = Project()
    project.apply(PutRuns(after=[a_run(metrics={"knn_balanced": float("nan"), "purity": 0.5})]))
    save(project, tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["metrics"] == {
        "knn_balanced": None,
        "purity": 0.5,
    }


def test_a_number_that_is_none_is_unknown(capsys):
    print_facts({"agreement": float("nan"), "interval": [float("nan"), 0.5]}, as_json=False)
    assert "nan" not in capsys.readouterr().out


def test_concepts_are_a_table_under_the_run_they_are_of(capsys):
    counts = counts_of(concepts_of(concept_run()))
    print_concepts(
        {
            "concepts": [{"concept": "1", "coverage": "0.75"}],
            "concept_counts": counts.to_dict(),
            "disagreements": {"bags of two concepts": 3},
        },
        of="run 6",
    )
    title, *table = capsys.readouterr().out.split("\n")
    assert title == f"Concepts of run 6: {counts.sentence}"
    words = " ".join(table).split()
    assert words[:2] == ["concept", "coverage"]
    assert words[-7:-5] == ["1", "0.75"]
    assert " ".join(words[-5:]) == "3 bags of two concepts."
