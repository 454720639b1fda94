"""Truth of several clips at once: where it lies, which clip it is of, and what it holds."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import ProjectError
from emberscope.base.monitor import Silent
from emberscope.project import Project, to_snapshot
from emberscope.project.exchange.sources import add_sources
from emberscope.project.exchange.truth import import_truths
from emberscope.project.exchange.truth_look import match_truths
from emberscope.project.exchange.truth_places import count_truths, truth_beside, truth_of_clips
from emberscope.tasks.table import TABLE
from emberscope.tasks.truth import CountTruth, ImportTruth

BOX = (
    "<object><name>{}</name>"
    "<bndbox><xmin>4</xmin><ymin>5</ymin><xmax>14</xmax><ymax>15</ymax></bndbox></object>"
)


@pytest.fixture
def campaign(tmp_path):
    """CLIP/frames and CLIP/boxes_xml of a night and a day clip of three frames; a clip without
    truth."""
    for clip, names in (("night", ["Person", "Person", "Car"]), ("day", ["Car"]), ("test", [])):
        for part in ("frames", "boxes_xml")[: 1 + bool(names)]:
            (tmp_path / clip / part).mkdir(parents=True)
        for k in range(3):
            Image.fromarray(np.full((40, 50), 60 + k, np.uint8)).save(
                tmp_path / clip / "frames" / f"{clip}{k}.png"
            )
        for k, name in enumerate(names):
            (tmp_path / clip / "boxes_xml" / f"{clip}{k}.xml").write_text(
                f"<a>{BOX.format(name)}</a>"
            )
    return tmp_path


@pytest.fixture
def project(campaign):
    found = Project()
    operation, errors = add_sources(found, [campaign])
    assert errors == []
    found.apply(operation)
    return found


def by_name(project, counts):
    return {
        project.sources[one.source].name: (one.objects, one.frames) for one in counts if one.source
    }


def test_the_folder_that_opened_the_clips_holds_their_truth(project, campaign):
    refs = list(project.sources.values())
    matched = {refs[row.source].name: row.truth for row in match_truths(refs, [campaign])}
    assert matched == {
        "day": campaign / "day" / "boxes_xml",
        "night": campaign / "night" / "boxes_xml",
    }


def test_what_the_truth_of_all_clips_holds_is_counted_by_clip(project, campaign):
    found = by_name(project, count_truths(project, campaign))
    assert found == {"day": ({"Car": 1}, 1), "night": ({"Person": 2, "Car": 1}, 3)}
    assert by_name(project, count_truths(project, campaign, every=2))["night"] == (
        {"Person": 1, "Car": 1},
        2,
    )


def test_truth_that_ties_is_a_line_of_the_table_until_a_person_chooses(project, campaign):
    (campaign / "truth.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    ids = {ref.name: ref.id for ref in project.sources.values()}
    tie = next(one for one in count_truths(project, campaign) if one.state == "tie")
    assert (Path(tie.truth).name, sorted(tie.could_be)) == ("truth.csv", sorted(ids.values()))
    chosen = {tie.truth: ids["test"]}
    assert by_name(project, count_truths(project, campaign, choices=chosen))["test"] == (
        {"Target": 1},
        1,
    )
    notes = []
    project.apply(import_truths(project, [campaign], choices=chosen, notes=notes))
    assert {label.source for label in project.labels} == set(ids.values())
    assert not any("left out" in note for note in notes)


def test_truth_that_ties_is_left_out_of_the_labels_and_said(project, campaign):
    (campaign / "truth.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    notes = []
    import_truths(project, [campaign], notes=notes)
    assert any(note.startswith("truth.csv is left out: it fits") for note in notes)


def test_truth_of_one_clip_that_cannot_be_read_says_so_and_the_others_are_counted(
    project, campaign
):
    (campaign / "day" / "boxes_xml" / "day0.xml").write_text("<a>")
    day, night = count_truths(project, campaign)
    assert "not well-formed" in day.wrong
    assert (night.objects, night.wrong) == ({"Person": 2, "Car": 1}, "")


def test_the_worker_counts_and_imports_all_of_them_as_one_step(project, campaign):
    all_clips = {"snapshot": to_snapshot(project), "source": None, "path": str(campaign)}
    counted = TABLE.answer(CountTruth(**all_clips), Silent())
    assert [sum(one.objects.values()) for one in counted.lines] == [1, 3]
    made = TABLE.answer(ImportTruth(**all_clips, u=0), Silent())
    project.apply(made.operation)
    assert len({label.source for label in project.labels}) == 2


def test_truth_is_found_beside_a_clip_and_in_the_folder_of_all(project, campaign):
    refs = {ref.name: ref for ref in project.sources.values()}
    assert truth_beside(refs["night"]) == campaign / "night" / "boxes_xml"
    assert truth_beside(refs["test"]) is None
    assert truth_of_clips(list(refs.values())) == campaign
    assert truth_of_clips([refs["night"]]) is None
    assert truth_of_clips([refs["night"], refs["test"]]) is None


def test_the_agt_file_of_two_clips_of_its_name_is_offered_for_neither(tmp_path):
    found = Project()
    for number, sensor in enumerate("ab"):
        (tmp_path / sensor / "arf").mkdir(parents=True)
        np.save(tmp_path / sensor / "arf" / "clip.npy", np.full((2, 9, 9), number, np.uint16))
    (tmp_path / "agt").mkdir()
    (tmp_path / "agt" / "clip.agt").write_text("Agt { TgtSect { } }")
    found.apply(add_sources(found, [tmp_path])[0])
    refs = list(found.sources.values())
    assert [truth_beside(ref, refs) for ref in refs] == [None, None]
    assert truth_beside(refs[0]) == tmp_path / "agt" / "clip.agt"


def test_a_truth_file_with_a_name_that_says_nothing_goes_with_the_clip_of_its_folder(
    project, campaign
):
    (campaign / "test" / "truth.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    assert by_name(project, count_truths(project, campaign))["test"] == ({"Target": 1}, 1)
    refs = {ref.name: ref for ref in project.sources.values()}
    assert truth_beside(refs["test"]) == campaign / "test" / "truth.csv"


def test_what_to_do_is_said_without_options_of_the_command(project, campaign, tmp_path):
    stray = tmp_path / "stray.csv"
    stray.write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    with pytest.raises(ProjectError, match="put it into the folder of its clip") as raised:
        import_truths(project, [stray])
    assert "--" not in str(raised.value)
