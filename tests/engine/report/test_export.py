"""What a project holds, as files for other programs."""

import csv
import json

import msgspec
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import Cancelled, ProjectError
from emberscope.base.ids import bag_name, instance_name
from emberscope.datasets.points import read_points
from emberscope.embedding.linear.pca import PCA
from emberscope.features.extract import feature_names
from emberscope.findings.concepts import concepts_of
from emberscope.labels import Spot
from emberscope.labels.jsonl import read_jsonl
from emberscope.pipeline import run as pipeline_run
from emberscope.project import Project, PutRuns, PutSources, Recipe, mark
from emberscope.project.exchange.label_file import import_labels
from emberscope.project.exchange.sources import add_source, describe
from emberscope.project.model.recipe import of_rows
from emberscope.report.export import export


def test_the_table_holds_every_instance_as_the_run_has_it(project, tmp_path):
    (path,) = export(project, "csv", tmp_path / "out", name="p")
    run = project.runs[1]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert path.name == "p_run1.csv"
    assert [int(row["instance"]) for row in rows] == run.ids.tolist()
    assert [row["name"] for row in rows] == [instance_name(id) for id in run.ids.tolist()]
    assert [row["source"] for row in rows[:1] + rows[-1:]] == ["day.npy", "night.npy"]
    for axis in range(3):
        np.testing.assert_allclose(
            [float(row[f"z{axis + 1}"]) for row in rows], run.Z[:, axis], rtol=1e-6
        )
    np.testing.assert_allclose(
        [float(row["score"]) for row in rows], run.point_scores["score"], rtol=1e-5
    )
    first = run.bags.first_bag(len(rows))
    assert [row["bag"] for row in rows] == [bag_name(run.bag_ids[k]) for k in first]
    assert {(row["class"], row["y"]) for row in rows} == {("Target", "1"), ("Background", "-1")}


def test_the_same_table_goes_into_parquet(project, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    (path,) = export(project, "parquet", tmp_path / "out", name="p")
    table, run = parquet.read_table(path).to_pydict(), project.runs[1]
    assert path.name == "p_run1.parquet"
    assert table["instance"] == run.ids.tolist()
    np.testing.assert_allclose(table["z1"], run.Z[:, 0], rtol=1e-6)


def test_the_table_says_of_which_concept_an_instance_is(project, tmp_path):
    recipe = msgspec.structs.replace(
        project.runs[min(project.runs)].recipe, method="fcmi", params={"n_concepts": 2}
    )
    made = pipeline_run(project, recipe)
    project.apply(PutRuns(after=[made]))
    export(project, "csv", tmp_path, name="p")
    with (tmp_path / f"p_run{made.id}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = concepts_of(made)
    assert [row["concept"] for row in rows] == [str(k + 1) if k >= 0 else "" for k in found.concept]
    assert float(rows[0]["p"]) == pytest.approx(found.probability[0], rel=1e-4)
    assert "cause" in rows[0]


def test_a_mark_is_the_class_in_the_table(project, tmp_path):
    target = int(project.runs[1].ids[0])
    project.apply(mark(project, [target], 0))
    (path,) = export(project, "csv", tmp_path / "out")
    with path.open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["class"] == "ignored"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\uff1d1"])
def test_a_name_that_begins_like_a_formula_is_none_in_the_table(project, tmp_path, name):
    ref = next(iter(project.sources.values()))
    project.sources[ref.id] = msgspec.structs.replace(ref, name=name)
    (path,) = export(project, "csv", tmp_path / "out")
    with path.open(newline="", encoding="utf-8") as file:
        assert f"'{name}" in {row["source"] for row in csv.DictReader(file)}


def test_arrays_are_those_of_the_run(project, tmp_path):
    (path,) = export(project, "npz", tmp_path / "out")
    run = project.runs[1]
    with np.load(path) as arrays:
        np.testing.assert_array_equal(arrays["Z"], run.Z)
        np.testing.assert_array_equal(arrays["members"], run.members)
        np.testing.assert_array_equal(
            arrays["score_trustworthiness"], run.point_scores["trustworthiness"]
        )


def test_arrays_hold_what_a_run_learned(classified, tmp_path):
    path = export(classified, "npz", tmp_path / "out")[1]
    run = classified.runs[2]
    with np.load(path) as arrays:
        np.testing.assert_array_equal(arrays["bag_score"], run.diagnostics["bag_score"])
        np.testing.assert_array_equal(arrays["loadings"], run.diagnostics["loadings"])
        assert arrays["feature_names"].tolist() == list(run.state["feature_names"])


def test_the_table_gives_each_instance_the_score_of_its_bag(classified, tmp_path):
    path = export(classified, "csv", tmp_path / "out")[1]
    run = classified.runs[2]
    with path.open(newline="", encoding="utf-8") as file:
        found = [float(row["bag_score"]) for row in csv.DictReader(file)]
    expected = run.diagnostics["bag_score"][run.bags.first_bag(len(run.ids))]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_imputed_labels_are_among_the_arrays(project, tmp_path):
    labels = np.ones(len(project.runs[1].ids), np.int8)
    project.apply(
        PutRuns(after=[msgspec.structs.replace(project.runs[1], id=2, state={"labels_": labels})])
    )
    with np.load(export(project, "npz", tmp_path / "out")[1]) as arrays:
        np.testing.assert_array_equal(arrays["labels"], labels)


def test_exported_arrays_can_be_embedded_again(project, tmp_path):
    (path,) = export(project, "npz", tmp_path / "out")
    with np.load(path) as arrays:
        np.savez(
            tmp_path / "again.npz",
            X=arrays["Z"],
            **{k: arrays[k] for k in ("y", "indptr", "members", "bag_y")},
        )
    assert len(read_points(tmp_path / "again.npz").bags) == len(project.labels)


def test_features_of_a_run_are_a_point_set_with_its_labels_and_bags(project, tmp_path):
    (path,) = export(project, "features", tmp_path / "out")
    found, run = read_points(path), project.runs[1]
    assert path.name == "project_run1_features.npz"
    np.testing.assert_array_equal(found.bags.members, run.members)
    np.testing.assert_array_equal(found.bags.labels, run.bag_labels)
    np.testing.assert_array_equal(found.bags.classes, run.bag_classes)
    with np.load(path) as arrays:
        assert arrays["feature_names"].tolist() == feature_names(run.recipe.features)
        assert found.X.shape == (len(run.ids), len(arrays["feature_names"]))
        np.testing.assert_array_equal(arrays["ids"], run.ids)


def test_labels_of_bags_are_none_of_the_instances_in_them(project, tmp_path):
    run = project.runs[1]
    in_positive = run.y > 0
    marked = run.ids[in_positive][0]
    marks = {"marks": np.array([[marked, 1]])}
    project.apply(PutRuns(after=[msgspec.structs.replace(run, id=2, diagnostics=marks)]))
    expected = np.where(in_positive, 0, -1)
    for at, path in enumerate(export(project, "features", tmp_path / "out")):
        expected[run.ids == marked] = at  # a mark in the second run alone
        np.testing.assert_array_equal(read_points(path).y, expected)


def test_numbers_of_bags_stay_numbers_and_say_nothing_of_instances(tmp_path):
    draw = np.random.default_rng(5)
    number, X = draw.random(20), draw.normal(size=(80, 6))
    np.savez(tmp_path / "numbers.npz", X=X, bag=np.arange(80) // 4, bag_y=number)
    project = Project()
    project.apply(add_source(project, tmp_path / "numbers.npz"))
    recipe = of_rows(Recipe(method="pca", params={"n_components": 2}), 6)
    project.apply(PutRuns(after=[pipeline_run(project, recipe)]))
    (path,) = export(project, "features", tmp_path / "out")
    with np.load(path) as arrays:
        np.testing.assert_allclose(np.sort(arrays["bag_y"]), np.sort(number))
    assert not read_points(path).y.any()


def test_features_give_the_map_of_the_run_again(project, tmp_path):
    (path,) = export(project, "features", tmp_path / "out")
    again = PCA(n_components=3).fit_transform(read_points(path).X)
    np.testing.assert_allclose(np.abs(again), np.abs(project.runs[1].Z), atol=1e-3)


def test_features_are_whole_where_the_method_got_principal_components(project, tmp_path):
    (path,) = export(project, "features", tmp_path / "out")
    with np.load(path) as arrays:
        assert arrays["X"].shape[1] > project.runs[1].recipe.reduce


def test_features_say_which_fold_judged_a_bag(classified, tmp_path):
    path = export(classified, "features", tmp_path / "out")[1]
    with np.load(path) as arrays:
        np.testing.assert_array_equal(
            arrays["bag_fold"], classified.runs[2].diagnostics["bag_fold"]
        )


def test_features_of_a_source_that_left_the_project_say_so(project, tmp_path):
    del project.sources[min(project.sources)]
    with pytest.raises(ProjectError, match="source that is not in the project"):
        export(project, "features", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_bags_are_a_point_set_with_a_vector_the_label_and_the_class_of_each(project, tmp_path):
    (path,) = export(project, "bags", tmp_path / "out", choices={"n_components": 4})
    found, run = read_points(path), project.runs[1]
    assert path.name == "project_run1_bags.npz"
    assert found.X.shape == (len(run.bag_ids), 4)
    np.testing.assert_array_equal(found.y, run.bag_labels)
    np.testing.assert_array_equal(found.bags.classes, run.bag_classes)


def test_bags_of_one_frame_stay_in_one_fold_of_whoever_reads_them(project, tmp_path):
    (path,) = export(project, "bags", tmp_path / "out")
    with np.load(path) as arrays:
        one_frame = (arrays["source"] == arrays["source"][0]) & (
            arrays["frame"] == arrays["frame"][0]
        )
        assert one_frame.sum() == 2
        assert len(np.unique(arrays["group"][one_frame])) == 1


def test_a_classifier_reads_the_exported_bags(project, tmp_path):
    from emberscope.datasets.points import read_points
    from emberscope.point_tasks import classify_points

    (path,) = export(project, "bags", tmp_path / "out")
    _, report = classify_points(read_points(path), settings={}, folds=4)
    assert report["accuracy"] == 1.0


def test_bags_come_from_the_principal_components_that_the_method_of_the_run_got(project, tmp_path):
    recipe = msgspec.structs.replace(project.runs[1].recipe, reduce=4)
    project.apply(PutRuns(after=[pipeline_run(project, recipe)]))
    paths = export(project, "bags", tmp_path / "out")
    widths = []
    for path in paths:
        with np.load(path) as arrays:
            widths.append(arrays["X"].shape[1])
    assert widths == [10, 4]


def test_maps_of_single_bags_are_exported_with_a_warning(project, tmp_path):
    notes = []
    export(
        project,
        "bags",
        tmp_path / "out",
        choices={"variant": "per-bag", "n_components": 2},
        notes=notes,
    )
    assert "not comparable" in notes[0]


def test_bags_of_a_source_that_left_the_project_say_so(project, tmp_path):
    del project.sources[min(project.sources)]
    with pytest.raises(ProjectError, match="source that is not in the project"):
        export(project, "bags", tmp_path / "out")


def test_a_stopped_export_of_bags_leaves_nothing(project, tmp_path):
    class Stop:
        def step(self, fraction, message=""):
            if fraction > 0.6:  # the bags of the first run are there
                raise Cancelled

        def partial(self, Z):
            pass

    (run,) = project.runs.values()
    project.runs[2] = msgspec.structs.replace(run, id=2)
    with pytest.raises(Cancelled):
        export(project, "bags", tmp_path / "out", monitor=Stop())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_was_there_stays_when_an_export_stops(project, tmp_path):
    del project.sources[min(project.sources)]
    (tmp_path / "out").mkdir()
    with pytest.raises(ProjectError):
        export(project, "bags", tmp_path / "out")
    assert (tmp_path / "out").is_dir()


def test_labels_keep_their_sources_by_name(project, tmp_path):
    (path,) = export(project, "jsonl", tmp_path / "out")
    found = read_jsonl(path)
    assert found.labels == list(project.labels)
    assert [(s.id, s.name) for s in found.sources] == [
        (ref.id, ref.name) for ref in project.sources.values()
    ]


def test_a_run_of_three_dimensions_has_two_pictures(project, tmp_path):
    paths = export(project, "png", tmp_path / "out")
    assert [path.name for path in paths] == ["project_run1_map_2d.png", "project_run1_map_3d.png"]
    for path in paths:
        with Image.open(path) as image:
            assert image.format == "PNG"


def test_pictures_have_the_theme_asked_for(project, tmp_path):
    path = export(project, "png", tmp_path / "out", choices={"theme": "dark"})[0]
    with Image.open(path) as image:
        assert image.getpixel((2, 2)) == (15, 17, 20)


def test_a_coloring_that_no_run_has_is_refused_with_those_there_are(project, tmp_path):
    with pytest.raises(
        ProjectError, match=r"run 1 has no coloring 'warmth'.*class, bag, source, .*score"
    ):
        export(project, "png", tmp_path / "out", choices={"color": "warmth"})
    assert not (tmp_path / "out").exists()


def test_maps_in_the_colors_that_a_window_begins_with_are_written_of_every_run(project, tmp_path):
    project.runs[1].point_scores.clear()
    assert export(project, "png", tmp_path / "out", choices={"color": "witness"})


def test_a_run_without_the_coloring_that_another_has_is_named(classified, tmp_path):
    notes = []
    classified.runs[1].point_scores["warmth"] = np.linspace(0, 1, len(classified.runs[1].ids))
    export(classified, "png", tmp_path / "out", choices={"color": "warmth"}, notes=notes)
    assert notes == ["Runs without warmth are colored by class: 2."]


@pytest.mark.parametrize("form", ["png", "html", "csv"])
def test_everything_is_written_where_a_source_is_gone(project, tmp_path, form):
    (tmp_path / "day.npy").unlink()
    assert all(path.stat().st_size > 1000 for path in export(project, form, tmp_path / "out"))


def test_a_project_without_a_run_has_no_table_and_leaves_no_folder(tmp_path):
    with pytest.raises(ProjectError, match="no run yet"):
        export(Project(), "csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unknown_form_names_the_known_ones(tmp_path):
    known = "jsonl, csv, parquet, npz, features, png, html, concepts, side, bags"
    with pytest.raises(ProjectError, match=known):
        export(Project(), "pdf", tmp_path / "out")


# --- which file a frame is


@pytest.fixture
def mixed(tmp_path):
    """A project on a folder of images, a label on its third, and its label file as plain lines."""
    folder = tmp_path / "pass"
    folder.mkdir()
    for name in ("FLIR_2.png", "FLIR_9.png", "FLIR_11.png"):
        Image.fromarray(np.zeros((40, 50), np.uint8)).save(folder / name)
    project = Project()
    project.sources[7] = msgspec.structs.replace(describe(folder), id=7)
    project.labels.put(Spot(id=1, source=7, frame=2, class_id=1, x=9, y=9, rho=3))
    return project


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_label_says_which_image_of_its_folder_it_lies_on(mixed, tmp_path):
    (path,) = export(mixed, "jsonl", tmp_path / "out")
    (label,) = [line for line in lines(path) if line["kind"] == "spot"]
    assert (label["frame"], label["file"]) == (2, "FLIR_11.png")
    assert read_jsonl(path).labels == list(mixed.labels)


def test_a_label_of_a_clip_says_the_file_of_the_clip(project, tmp_path):
    (path,) = export(project, "jsonl", tmp_path / "out")
    files = {(line["source"], line["file"]) for line in lines(path) if "frame" in line}
    assert files == {(ref.id, ref.name) for ref in project.sources.values()}


def test_a_folder_that_is_gone_leaves_the_file_out(mixed, tmp_path):
    (tmp_path / "pass").rename(tmp_path / "elsewhere")
    (path,) = export(mixed, "jsonl", tmp_path / "out")
    assert [line for line in lines(path) if "file" in line] == []
    assert read_jsonl(path).labels == list(mixed.labels)


def test_tables_and_arrays_say_the_file_of_every_frame(project, tmp_path):
    export(project, "csv", tmp_path, name="p")
    with (tmp_path / "p_run1.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["source"], row["file"]) for row in rows} == {
        ("day.npy", "day.npy"),
        ("night.npy", "night.npy"),
    }
    export(project, "npz", tmp_path, name="p")
    with np.load(tmp_path / "p_run1.npz") as found:
        places = set(zip(found["source"].tolist(), found["frame"].tolist(), strict=True))
        assert (
            set(zip(found["at_source"].tolist(), found["at_frame"].tolist(), strict=True)) == places
        )
        assert set(found["at_file"].tolist()) == {"day.npy", "night.npy"}


def test_the_table_holds_what_is_known_of_each_instance(project, tmp_path):
    (day, *_) = project.sources.values()
    known = msgspec.structs.replace(day, columns={"light": "day", "range": 1500.0})
    project.apply(PutSources(before=[day], after=[known]))
    (path,) = export(project, "csv", tmp_path / "out")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["light"], rows[0]["range"]) == ("day", "1500")
    assert (rows[-1]["light"], rows[-1]["range"]) == ("", "")


def test_what_is_known_of_a_clip_comes_back_with_its_labels(project, tmp_path):
    (day, *_) = project.sources.values()
    known = msgspec.structs.replace(day, columns={"light": "day"})
    project.apply(PutSources(before=[day], after=[known]))
    (path,) = export(project, "jsonl", tmp_path / "out")
    project.apply(PutSources(before=[known], after=[day]))
    project.apply(import_labels(project, path))
    assert project.sources[day.id].columns == {"light": "day"}


def test_maps_are_colored_by_what_is_known(project, tmp_path):
    (day, *_) = project.sources.values()
    known = msgspec.structs.replace(day, columns={"light": "day"})
    project.apply(PutSources(before=[day], after=[known]))
    assert export(project, "png", tmp_path / "out", choices={"color": "column:light"})
    with pytest.raises(ProjectError, match="column:rain"):
        export(project, "png", tmp_path / "out", choices={"color": "column:rain"})
