"""Point sets in a project: their bags, classes, runs, and what does not go together."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.make import make_bags
from emberscope.base.errors import DataError, FormatError, ParamError, ProjectError
from emberscope.findings.notes import notes_of
from emberscope.judging.judge import judge_run
from emberscope.pipeline.project_run import run
from emberscope.project import FeatureRecipe, Project, Recipe
from emberscope.project.exchange.points import let_judge
from emberscope.project.exchange.sources import (
    add_source,
    add_sources,
    changed_note,
    changed_sources,
    has_changed,
    missing_sources,
)
from emberscope.project.model.operations import mark
from emberscope.project.run_columns import columns_of_run, describe_columns
from emberscope.project.store.file import load, save

TABLE = "bag,label,x1,x2\na,1,1,2\nb,0,3,4\na,1,5,6\nc,0,7,8\n"


def project_of(path):
    project = Project()
    project.apply(add_source(project, path))
    return project


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "bags.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def drawn(tmp_path):
    """Ten bags of three instances of four features, targets shifted."""
    rng = np.random.default_rng(5)
    bag = np.repeat(np.arange(10), 3)
    X = rng.normal(size=(30, 4)) + 3.0 * (bag % 2)[:, None]
    path = tmp_path / "drawn.npz"
    np.savez(path, X=X, bag=bag, bag_y=np.where(np.arange(10) % 2, 1, -1))
    return path, X


def made_of(project):
    return make_bags(project.labels, project.classes, project.frame_sizes, project.recipe.bags,
                     marks=project.marks)


def test_each_bag_of_a_table_is_a_labeled_frame_and_each_row_an_instance(table):
    project = project_of(table)
    made = made_of(project)
    assert project.of_points
    assert made.bags.sizes.tolist() == [2, 1, 1]
    assert made.bags.labels.tolist() == [1, -1, -1]


def test_a_run_reads_the_features_as_they_are(drawn, tmp_path):
    path, X = drawn
    project = project_of(path)
    recipe = Recipe(method="pca", bags=project.recipe.bags, features=project.recipe.features,
                    reduce=0)
    found = run(project, recipe, cache=tmp_path / "cache")
    centered = X - X.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2][:2]
    np.testing.assert_allclose(np.abs(found.Z), np.abs(centered @ axes.T), atol=1e-4)


def test_rows_without_bags_are_bags_of_their_own(tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.eye(3), y=np.array([1, 0, -1]))
    made = made_of(project_of(tmp_path / "rows.npz"))
    assert made.bags.labels.tolist() == [1, 0, -1]


def test_names_of_classes_become_classes_of_the_project(tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.eye(3), y=np.array(["truck", "bus", "truck"]))
    project = project_of(tmp_path / "rows.npz")
    names = [project.classes[label.class_id].name for label in project.labels]
    assert names == ["truck", "bus", "truck"]


def classes_of(folder, signs, kinds):
    """Names of the classes of bags of one instance each."""
    X = np.arange(len(signs), dtype=float)[:, None]
    np.savez(folder / "kinds.npz", X=X, bag=np.arange(len(signs)), bag_y=signs, bag_class=kinds)
    project = project_of(folder / "kinds.npz")
    return [project.classes[label.class_id].name for label in project.labels]


def test_positive_bags_of_several_classes_keep_them_apart(tmp_path):
    names = classes_of(tmp_path, [1, 1, 1, -1], [1, 2, 3, 2])
    assert names == ["Target", "Class 2", "Class 3", "Background"]


def test_a_negative_bag_of_a_class_of_targets_is_background(tmp_path):
    assert classes_of(tmp_path, [1, -1, -1], [3, 3, 4]) == ["Class 3", "Background", "Class 4"]


def test_labels_of_instances_in_bags_become_marks(tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.eye(3), y=np.array([-1, 1, -1]),
             bag=np.array([0, 0, 1]), bag_y=np.array([1, -1]))
    assert made_of(project_of(tmp_path / "rows.npz")).y.tolist() == [-1, 1, -1]


def test_adding_and_undoing_leaves_the_project_as_it_was(table):
    project = Project()
    operation = add_source(project, table)
    project.apply(operation)
    project.revert(operation)
    assert not project.sources
    assert not len(project.labels)


def test_a_saved_project_makes_the_same_instances(table, tmp_path):
    project = project_of(table)
    save(project, tmp_path / "points.ember")
    again = load(tmp_path / "points.ember")
    np.testing.assert_array_equal(made_of(again).instances.ids, made_of(project).instances.ids)


def test_bags_are_held_out_one_by_one_however_near_they_stand_in_the_file(drawn, tmp_path):
    project = project_of(drawn[0])
    found = run(project, quick(project), cache=tmp_path / "cache")
    from emberscope.evaluate.held_out import bag_blocks

    assert len(np.unique(bag_blocks(found.instances, found.bags))) == 10


def test_frames_and_points_are_projects_of_their_own(table, tmp_path):
    np.save(tmp_path / "frames.npy", np.zeros((3, 20, 20), np.uint16))
    operation, errors = add_sources(Project(), [table, tmp_path / "frames.npy"])
    assert len(operation.steps[0].after) == 1
    assert "it has frames, and this project has points" in str(errors[0])


def test_point_sets_of_other_features_do_not_go_together(table, tmp_path):
    (tmp_path / "wide.csv").write_text("bag,label,x1,x2,x3\na,1,1,2,3\nb,0,4,5,6\n")
    _, errors = add_sources(Project(), [table, tmp_path / "wide.csv"])
    assert "it has 3 features, and bags.csv has 2" in str(errors[0])


def test_a_recipe_for_frames_is_refused(table, tmp_path):
    project = project_of(table)
    recipe = Recipe(method="pca", features=FeatureRecipe(kind="hog"))
    with pytest.raises(ParamError, match="reads hog features of frames, and this project has"):
        run(project, recipe, cache=tmp_path / "cache")


def test_a_file_that_changed_is_said(table):
    project = project_of(table)
    table.write_text(TABLE.replace("7,8", "9,9"))
    assert [ref.name for ref in changed_sources(project)] == ["bags.csv"]


def test_a_file_that_is_gone_is_said(table):
    project = project_of(table)
    table.unlink()
    assert [ref.name for ref in missing_sources(project)] == ["bags.csv"]


def test_what_says_where_rows_come_from_becomes_a_column_of_the_bags(tmp_path):
    path = tmp_path / "bags.csv"
    path.write_text("bag,label,x1,patient,fold\na,1,1,p1,1\nb,0,2,p2,1\na,1,3,p1,2\n")
    (ref,) = project_of(path).sources.values()
    assert ref.frame_columns == {"patient": ["p1", "p2"], "fold": [None, 1.0]}


def test_groups_of_bags_become_a_column_that_a_split_can_name(tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.eye(3), bag=np.arange(3), bag_y=np.array([1, -1, 1]),
             group=np.array([4, 4, 5]))
    (ref,) = project_of(tmp_path / "rows.npz").sources.values()
    assert ref.frame_columns == {"group": [4.0, 4.0, 5.0]}


@pytest.mark.parametrize(("text", "words"), [
    ("bag,x1,x2\na,1,2\n", "no column is called label"),
    ("bag,label,x1\na,1,nan\n", "column x1: 'nan' is no finite number .a missing value"),
    ("bag,label,x1\na,1,hot\n", "column x1: 'hot' is no finite number"),
    ("bag,label,x1\n", "no line of data"),
])
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, words):
    path = tmp_path / "bags.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=words):
        add_source(Project(), path)


@pytest.mark.parametrize("label", ["0", "1"])
def test_bags_of_one_kind_only_are_a_project_too(tmp_path, label):
    path = tmp_path / "bags.csv"
    path.write_text(f"bag,label,x1\na,{label},1\nb,{label},2\n")
    assert len(project_of(path).labels) == 2


@pytest.fixture
def known(tmp_path):
    """Twenty bags of four instances; of positive ones the first is a target, and y says so."""
    rng = np.random.default_rng(5)
    bag = np.repeat(np.arange(20), 4)
    y = np.where((np.arange(80) % 4 == 0) & (bag % 2 == 1), 1, -1)
    X = rng.normal(size=(80, 4)) + 4.0 * (y > 0)[:, None]
    path = tmp_path / "known.npz"
    np.savez(path, X=X, y=y, bag=bag, bag_y=np.where(np.arange(20) % 2, 1, -1))
    return path


def quick(project):
    """The recipe of a project with a method that takes no time."""
    return msgspec.structs.replace(project.recipe, method="pca")


def run_on(path, folder, **options):
    project = Project()
    project.apply(add_source(project, path, **options))
    recipe = msgspec.structs.replace(project.recipe, method="midr")
    return project, run(project, recipe, cache=folder / "cache")


def test_labels_of_instances_teach_nothing_where_bags_alone_are_asked_for(known):
    project = Project()
    project.apply(add_source(project, known, bags_only=True))
    assert not len(project.marks)
    assert (made_of(project).y != 0).any()


def test_labels_of_instances_that_only_judge_are_the_truth_of_a_run(known, tmp_path):
    _, found = run_on(known, tmp_path, bags_only=True)
    assert found.metrics["witness_found"] > 0.9
    assert found.metrics["witness_found_chance"] == pytest.approx(0.25)


def test_labels_of_instances_that_only_judge_are_the_truth_of_held_out_instances(known, tmp_path):
    project, found = run_on(known, tmp_path, bags_only=True)
    level = judge_run(project, found).level("instance")
    assert (level.truth > 0).sum() == 10
    assert level.area.value > 0.9


def test_labels_that_teach_do_not_judge_as_well(known, tmp_path):
    project, found = run_on(known, tmp_path)
    assert "witness_found" not in found.metrics
    assert judge_run(project, found).level("instance").remedy == "bag"


def test_where_the_file_is_gone_nothing_judges(known, tmp_path):
    project, found = run_on(known, tmp_path, bags_only=True)
    known.unlink()
    assert judge_run(project, found).level("instance").remedy == "bag"


def test_a_file_that_lost_bags_is_refused_in_a_sentence(table, tmp_path):
    project = project_of(table)
    table.write_text("bag,label,x1,x2\na,1,1,2\nb,0,3,4\n")
    with pytest.raises(DataError, match="fewer bags or instances than the labels"):
        run(project, project.recipe, cache=tmp_path / "cache")


def test_a_file_that_changed_in_its_middle_alone_is_noticed(tmp_path):
    path = tmp_path / "bags.csv"
    rows = [f"{k:05d},{k % 2},{k % 7}" for k in range(20_000)]
    path.write_text("\n".join(["bag,label,x", *rows]))
    project = project_of(path)
    rows[10_000] = rows[10_000][:-1] + "9"
    path.write_text("\n".join(["bag,label,x", *rows]))
    assert changed_note(project, changed_sources(project)) == (
        "bags.csv changed since it was added. Its labels are those of the file as it was: remove "
        "it from the project and add it again to take what it says now."
    )


def test_a_fingerprint_of_an_older_version_looked_at_both_ends_alone(table):
    (ref,) = project_of(table).sources.values()
    older = msgspec.structs.replace(ref, fingerprint=ref.fingerprint.partition(".")[0])
    assert not has_changed(older)


def test_a_run_says_that_the_file_of_its_labels_changed(drawn, tmp_path):
    path, X = drawn
    project = project_of(path)
    with np.load(path) as was:
        np.savez(path, **{**was, "X": X[::-1]})
    found = run(project, quick(project), cache=tmp_path / "cache")
    assert "file-changed" in [note.id for note in notes_of(found)]


def test_a_run_says_how_unlike_what_taught_instances_of_unknown_bags_are(drawn, tmp_path):
    path, X = drawn
    new = tmp_path / "new.npz"
    np.savez(new, X=np.vstack([X[:1] + 0.01, X[:1] + 40]), bag=[0, 1], bag_y=[0, 0])
    project = project_of(path)
    project.apply(add_source(project, new))
    found = run(project, quick(project), cache=tmp_path / "cache")
    novelty = found.point_scores["novelty"]
    near, far = novelty[found.source == max(project.sources)]
    assert near < 1 < 5 < far
    assert np.nanmedian(novelty) < 1


def test_labels_of_instances_can_judge_alone_later_and_teach_again(known):
    taught = project_of(known)
    alone = Project()
    alone.apply(add_source(alone, known, bags_only=True))
    (source,) = taught.sources
    marks = sorted(taught.marks.items())
    by_hand = marks[0][0]
    taught.apply(mark(taught, [by_hand], 0))
    taught.apply(let_judge(taught, source, only=True))
    assert taught.sources[source].options == alone.sources[source].options
    assert list(taught.marks.items()) == [(by_hand, 0)]
    taught.apply(let_judge(taught, source, only=False))
    assert sorted(taught.marks.items()) == [(by_hand, 0), *marks[1:]]


def test_a_point_set_without_labels_of_instances_has_none_that_could_judge(table):
    project = project_of(table)
    (source,) = project.sources
    with pytest.raises(ProjectError, match="no labels of instances in bags"):
        let_judge(project, source, only=True)


def test_points_have_no_columns_of_boxes(drawn, tmp_path):
    project = project_of(drawn[0])
    found = run(project, quick(project), cache=tmp_path / "cache")
    assert list(columns_of_run(project, found)) == []
    assert describe_columns(project) == []
