"""Truth as weak labels: one operation."""

import numpy as np
import pytest

from emberscope.bags.make import make_bags
from emberscope.bags.recipe import BagRecipe
from emberscope.bags.sizes import fitting_sizes
from emberscope.base.errors import FormatError, ProjectError
from emberscope.frames.truth.agt import Agt, Target, TargetUpdate, write_agt
from emberscope.labels import BACKGROUND, Box, Ellipse, Polygon, Polyline, Spot
from emberscope.labels.truth import names_in
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.renumber import renumber
from emberscope.project.exchange.sources import add_source, add_sources
from emberscope.project.exchange.truth import (
    TruthIsThere,
    import_truth,
    import_truths,
    truth_of,
)
from emberscope.project.model.compare import same_project


@pytest.fixture
def project(tmp_path):
    np.save(tmp_path / "frames.npy", np.zeros((4, 200, 200), np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "frames.npy"))
    return project


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("frame,x,y,w,h,name\n0,11,21,30,20,Car\n1,51,61,30,20,target\n9,1,1,5,5,Car\n")
    return path


def test_a_name_without_a_class_becomes_a_class(project, table):
    project.apply(import_truth(project, min(project.sources), table, kind="tight"))
    assert sorted(found.name for found in project.classes.values()) == [
        "Background",
        "Car",
        "Target",
    ]
    names = [project.classes[label.class_id].name for label in project.labels]
    assert names == ["Car", "Target"]


def test_one_undo_takes_everything_back(project, table):
    operation = import_truth(project, min(project.sources), table, n_background=2)
    project.apply(operation)
    project.revert(operation)
    assert (len(project.labels), sorted(project.classes)) == (0, [1, BACKGROUND])


def test_relaxed_boxes_know_their_core(project, table):
    project.apply(import_truth(project, min(project.sources), table, kind="relaxed", u=2))
    assert [label.core for label in project.labels] == [(10, 20, 40, 40), (50, 60, 80, 80)]
    # R: twice the sides of their targets
    assert {label.looseness for label in project.labels} == {1.5}


def test_the_same_seed_draws_the_same_labels(project, table):
    source, again = min(project.sources), Project()
    again.sources, again.next_ids = dict(project.sources), project.next_ids
    for found in (project, again):
        found.apply(import_truth(found, source, table, kind="spot", n_background=1, seed=5))
    assert same_project(project, again)


def test_every_second_frame(project, table):
    project.apply(import_truth(project, min(project.sources), table, every=2, kind="spot"))
    assert [(type(label), label.frame) for label in project.labels] == [(Spot, 0)]


def test_chips_per_frame_are_drawn_again_and_again_from_the_targets(project, table):
    operation = import_truth(project, min(project.sources), table, per_frame=3, u=1, n_background=2)
    project.apply(operation)
    targets = [label for label in project.labels if label.class_id != BACKGROUND]
    assert len(targets) == 6
    assert all(isinstance(label, Box) for label in project.labels)


def test_what_was_left_out_is_noted(project, table):
    notes = []
    import_truth(project, min(project.sources), table, kind="tight", notes=notes)
    assert notes == ["1 box past the last frame left out."]


def test_renumbered_labels_collide_with_nothing_drawn_meanwhile(project, table):
    operation = import_truth(project, min(project.sources), table, kind="tight")
    project.apply(operation)
    again = renumber(operation, project)
    project.apply(again)
    assert len(project.labels) == 4
    assert {label.class_id for label in project.labels} <= project.classes.keys()


def test_without_a_truth_file_the_hint_is_to_name_one(project):
    with pytest.raises(
        FormatError, match=r"there is no \.agt file that goes with it\. Name the truth file"
    ):
        truth_of(project.sources[min(project.sources)])


def test_an_unknown_source_is_refused(project, table):
    with pytest.raises(ProjectError, match="there is no source 999"):
        import_truth(project, 999, table)


def test_a_note_says_where_background_was_drawn_and_why(project, table):
    notes = []
    import_truth(
        project, min(project.sources), table, n_background=1, rule="same-place", notes=notes
    )
    assert (
        notes[-1]
        == "Background: 2 boxes at places of targets on other frames (2 frames); as asked."
    )


def test_bags_of_background_are_as_large_as_those_of_targets(project, table):
    table.write_text("frame,x,y,w,h,name\n0,81,91,30,20,Car\n1,71,61,30,20,Car\n")
    project.apply(import_truth(project, min(project.sources), table, u=2, n_background=1))
    (ref,) = project.sources.values()
    made = make_bags(
        project.labels, project.classes, {ref.id: (4, 200, 200)}, BagRecipe(patch=24, stride=1)
    )
    target, background = (
        made.bags.sizes[made.bags.labels > 0],
        made.bags.sizes[made.bags.labels < 0],
    )
    np.testing.assert_allclose(background / target, 1.0, atol=0.06)


@pytest.mark.parametrize(
    ("first", "again"), [("relaxed", "relaxed"), ("tight", "spot"), ("spot", "relaxed")]
)
def test_the_same_truth_is_not_labeled_twice_in_whatever_kind(project, table, first, again):
    source = min(project.sources)
    project.apply(import_truth(project, source, table, kind=first))
    with pytest.raises(
        TruthIsThere, match=r"are in the project already; nothing was imported\. Remove them first"
    ):
        import_truth(project, source, table, kind=again, seed=3)


def test_frames_that_were_passed_over_at_first_can_be_added(project, table):
    source, notes = min(project.sources), []
    project.apply(import_truth(project, source, table, every=2))
    project.apply(import_truth(project, source, table, notes=notes))
    assert [label.frame for label in project.labels] == [0, 1]
    assert "1 frame is left out, whose labels of this truth are in the project already." in notes


def test_background_is_drawn_beside_labels_that_are_there(project, table, tmp_path):
    source = min(project.sources)
    project.apply(
        PutLabels(after=[Box(id=90, source=source, frame=0, x0=0, y0=50, x1=200, y1=200)])
    )
    project.apply(import_truth(project, source, table, n_background=3, margin=0))
    boxes = [label for label in project.labels.on_frame(source, 0) if label.class_id == BACKGROUND]
    assert len(boxes) == 3
    assert all(box.y1 <= 50 for box in boxes)


def test_background_has_the_margin_of_the_patch_that_fits_the_truth(project, tmp_path):
    rows = "".join(f"{frame},{x},{y},60,40,Car\n" for frame, x, y in ((0, 11, 21), (1, 91, 61)))
    (tmp_path / "cars.csv").write_text("frame,x,y,w,h,name\n" + rows)
    project.apply(
        import_truth(
            project, min(project.sources), tmp_path / "cars.csv", kind="tight", n_background=1
        )
    )
    patch = fitting_sizes(project.labels.table(), project.classes, project.frame_sizes).patch
    assert patch != 32
    sizes = {
        (box.x1 - box.x0, box.y1 - box.y0) for box in project.labels if box.class_id == BACKGROUND
    }
    assert sizes == {(60 + patch, 40 + patch)}


@pytest.fixture
def two_clips(tmp_path):
    """A project of two clips, with truth named like them in a folder."""
    project, folder = Project(), tmp_path / "truth"
    folder.mkdir()
    for name in ("first", "second"):
        np.save(tmp_path / f"{name}.npy", np.zeros((2, 100, 100), np.uint16))
        (folder / f"{name}_boxes.csv").write_text("frame,x,y,w,h,name\n0,31,41,20,10,Car\n")
    operation, _ = add_sources(project, [tmp_path / "first.npy", tmp_path / "second.npy"])
    project.apply(operation)
    return project, folder


def test_truth_goes_to_all_clips_by_name_in_one_operation(two_clips):
    project, folder = two_clips
    operation = import_truths(project, [folder], kind="tight")
    assert (len(project.labels), operation.title) == (0, "Import truth of 2 clips")
    project.apply(operation)
    assert [label.source for label in project.labels] == list(project.sources)
    assert len({label.class_id for label in project.labels}) == 1


def sides(project):
    return sorted((box.x1 - box.x0, box.y1 - box.y0) for box in project.labels)


@pytest.fixture
def two_ranges(tmp_path):
    """The same target near, 40 x 20 px, and far, 20 x 10 px."""
    project = Project()
    for name, box in (("near", "60,60,40,20"), ("far", "80,80,20,10")):
        np.save(tmp_path / f"{name}.npy", np.zeros((1, 200, 200), np.uint16))
        (tmp_path / f"{name}.csv").write_text(f"frame,x,y,w,h,name\n0,{box},Car\n")
        project.apply(add_source(project, tmp_path / f"{name}.npy"))
    return project, tmp_path


def test_boxes_of_u_one_are_as_large_as_the_largest_target_of_their_own_clip(two_ranges):
    project, folder = two_ranges
    project.apply(import_truths(project, [folder], u=1))
    assert sides(project) == [(20, 10), (40, 20)]


def test_sizes_that_differ_between_clips_are_said_to_give_the_range_away(two_ranges):
    project, folder = two_ranges
    notes = []
    import_truths(project, [folder], u=1, notes=notes)
    assert "20 x 10 px in one clip and 40 x 20 px in another" in notes[-1]


def test_one_size_for_all_clips_says_nothing_of_their_range(two_ranges):
    project, folder = two_ranges
    notes = []
    project.apply(import_truths(project, [folder], u=2, base="all", notes=notes))
    assert sides(project) == [(80, 40), (80, 40)]
    assert not any("range away" in note for note in notes)


@pytest.mark.parametrize(("base", "whose"), [("clip", "truth;"), ("all", "truth in all clips;")])
def test_a_note_says_of_which_clips_the_largest_target_is(two_ranges, base, whose):
    project, folder = two_ranges
    notes = []
    import_truths(project, [folder], u=1, base=base, notes=notes)
    found = [note for note in notes if "as large as" in note]
    assert [note.partition("the largest of the ")[2].startswith(whose) for note in found] == [
        True, True
    ]  # fmt: skip


def test_a_size_in_pixels_is_that_of_all_boxes(two_ranges):
    project, folder = two_ranges
    project.apply(import_truths(project, [folder], u=1, base=(51, 121)))
    assert sides(project) == [(121, 51), (121, 51)]


def test_clips_whose_truth_is_there_are_passed_over(two_clips):
    project, folder = two_clips
    first, second = project.sources
    project.apply(import_truth(project, first, folder / "first_boxes.csv", kind="tight"))
    notes = []
    project.apply(import_truths(project, [folder], kind="tight", notes=notes))
    assert [len(list(project.labels.in_source(key))) for key in (first, second)] == [1, 1]
    assert notes == ["first.npy: its labels of this truth are in the project already."]
    with pytest.raises(TruthIsThere, match="no clip has truth that is new"):
        import_truths(project, [folder], kind="tight")


OUTLINES = (
    '<polygon label="Car" points="12,6;40.5,8;30,30.25"/>'
    '<polyline label="Road" points="3,90;30,90;60,95"/>'
    '<ellipse label="Car" cx="100" cy="100" rx="8" ry="4"/>'
    '<box label="Car" xtl="150" ytl="150" xbr="160" ybr="170"/>'
)


@pytest.fixture
def cvat(tmp_path, project):
    """Outlines and a box on the only frame of a clip."""
    np.save(tmp_path / "one.npy", np.zeros((1, 200, 200), np.uint16))
    project.apply(add_source(project, tmp_path / "one.npy"))
    image = f'<image id="0" name="one.npy" width="200" height="200">{OUTLINES}</image>'
    path = tmp_path / "one.xml"
    path.write_text(f"<annotations><version>1.1</version>{image}</annotations>")
    return path


def labels_of_one(project, cvat, **how):
    source = max(project.sources)
    operation = import_truth(project, source, cvat, frames=dict.fromkeys(names_in(cvat), 0), **how)
    project.apply(operation)
    return list(project.labels)


def test_outlines_are_kept_beside_boxes_that_are_loosened(project, cvat):
    polygon, line, ellipse, box = labels_of_one(project, cvat, kind="relaxed", u=1, outlines=True)
    assert isinstance(polygon, Polygon)
    assert polygon.points == ((12, 6), (40.5, 8), (30, 30.25))
    assert isinstance(line, Polyline)
    assert line.points == ((3, 90), (30, 90), (60, 95))
    assert isinstance(ellipse, Ellipse)
    assert (ellipse.x0, ellipse.y0, ellipse.x1, ellipse.y1) == (92, 96, 108, 104)
    assert box.core == (150, 150, 160, 170)


def test_outlines_are_the_boxes_around_them_where_nobody_asks(project, cvat):
    found = labels_of_one(project, cvat, kind="tight")
    assert {type(label) for label in found} == {Box}
    assert (found[0].x0, found[0].y0, found[0].x1, found[0].y1) == (12, 6, 40.5, 30.25)


def test_one_label_per_class_and_frame_has_no_outline(project, cvat):
    found = labels_of_one(project, cvat, kind="frame", outlines=True)
    assert [label.says for label in found] == ["contains", "contains"]


@pytest.mark.parametrize(("first", "again"), [(True, False), (False, True), (True, True)])
def test_outlines_that_are_there_are_not_taken_again_as_boxes_nor_the_other_way(
    project, cvat, first, again
):
    labels_of_one(project, cvat, kind="tight", outlines=first)
    with pytest.raises(TruthIsThere):
        labels_of_one(project, cvat, kind="tight", outlines=again)
def test_what_truth_says_of_a_clip_and_of_targets_stays_with_them(project, tmp_path):
    target = Target(
        type="T72", ply_id="7", x=50.0, y=60.0, pix_box=(40, 50, 59, 69), range_m=1500.0
    )
    update = TargetUpdate(targets=(target,), hint=2)
    write_agt(tmp_path / "a.agt", Agt(project={"Site": "hill"}, target_updates=(update,)))
    project.apply(import_truth(project, min(project.sources), tmp_path / "a.agt", u=1))
    assert project.sources[min(project.sources)].columns == {"site": "hill"}
    assert [label.about.columns for label in project.labels] == [{"range": 1500.0}]
    assert project.labels[1].about.track == 7


def test_a_word_about_a_frame_has_what_all_its_targets_agree_on(project, tmp_path):
    targets = tuple(
        Target(
            type="T72",
            ply_id=str(k),
            x=50.0 + k,
            y=60.0,
            pix_box=(40 + k, 50, 59, 69),
            range_m=1500.0 + k,
            aspect=90.0 * k,
        )
        for k in range(2)
    )
    write_agt(tmp_path / "a.agt", Agt(target_updates=(TargetUpdate(targets=targets, hint=1),)))
    project.apply(import_truth(project, min(project.sources), tmp_path / "a.agt", kind="frame"))
    assert [label.about.columns for label in project.labels] == [{"range": 1500.5}]
