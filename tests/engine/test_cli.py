"""The commands, called as a person calls them."""

import argparse
import json
import sys
from typing import get_args

import msgspec
import numpy as np
import pytest
from scipy.io import savemat

from emberscope.cli import _add_conversion, main
from emberscope.frames.arf import write_arf
from emberscope.labels import BACKGROUND
from emberscope.mil.conversion import Kind, Variant
from emberscope.project import BagRecipe, Project, PutRuns, mark
from emberscope.project.file import save

from .project.builders import a_run


@pytest.fixture
def point_file(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([1, -1], 20)
    X = rng.normal(size=(40, 4)) + 3 * y[:, None]
    np.savez(tmp_path / "in.npz", X=X, y=y, bag=np.arange(40) // 4, bag_y=[1] * 5 + [-1] * 5)
    return tmp_path / "in.npz"


def test_embed_writes_coordinates_and_prints_json(point_file, tmp_path, capsys):
    out = tmp_path / "out.npz"
    asked = ["embed", str(point_file), "--method", "pca", "--set", "n_components=3"]
    assert main([*asked, "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {"method", "seconds", "peak_mb", "quality"} <= report.keys()
    assert np.load(out)["Z"].shape == (40, 3)


def test_classify_prints_the_promised_keys(point_file, capsys):
    assert main(["classify", str(point_file), "--method", "knn", "--folds", "5", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    keys = {"accuracy", "accuracy_interval", "auc", "auc_interval", "instance_auc", "instance_auc_interval", "seconds",
            "folds"}
    assert keys <= report.keys()
    assert report["accuracy"] == 1.0


def test_methods_lists_every_id(capsys):
    assert main(["methods"]) == 0
    printed = capsys.readouterr().out
    for name in ("pca", "lda", "laplacian-eigenmaps", "isomap", "s-le", "mida", "tsne"):
        assert name in printed


def test_methods_of_one_id_shows_its_parameters(capsys):
    assert main(["methods", "s-le"]) == 0
    assert "n_components" in capsys.readouterr().out


def test_methods_of_a_classifier_shows_the_values_that_auto_tries(capsys):
    assert main(["methods", "citation-knn"]) == 0
    assert "tried" in (printed := capsys.readouterr().out)
    assert "min, max, average" in printed


def test_classify_says_in_words_which_values_were_chosen(point_file, capsys):
    assert main(["classify", str(point_file), "--method", "knn", "--folds", "2", "--set", "k=auto"]) == 0
    assert "in 2 folds" in capsys.readouterr().out


def test_convert_makes_no_more_numbers_per_bag_than_there_are_features(point_file, tmp_path, capsys):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == 4
    assert np.load(tmp_path / "out.npz")["X"].shape == (10, 4)


def test_convert_says_by_its_option_that_there_are_fewer_features(point_file, tmp_path, capsys):
    assert main(["convert", str(point_file), str(tmp_path / "out.npz"), "--dimensions", "9"]) == 1
    assert capsys.readouterr().err.strip().endswith(
        "9 numbers per bag are more than the 4 features there are. Ask for 4 dimensions at most."
    )


def test_an_error_of_a_method_names_no_class(tmp_path, capsys):
    path = tmp_path / "positive.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(12, 3)), bag=np.arange(12) // 3, bag_y=np.ones(4, int))
    assert main(["embed", str(path), "--method", "mi-le", "--out", str(tmp_path / "out.npz")]) == 1
    said = "there is no negative bag with an instance. Label at least one negative bag."
    assert said in capsys.readouterr().err


@pytest.fixture
def two_rows(tmp_path, monkeypatch):
    """A table of two rows; `two_rows(second)` measures .5 for the first and calls `second` for the other."""

    def write(second):
        def measure(*, seed, monitor, points, again=False):
            return second() if again else 0.5

        monkeypatch.setattr("emberscope.reproduction.measures.MEASURES", {"m": measure})
        rows = "".join(f'[[rows]]\nname = "{name}"\nparams = {{ again = {again} }}\n'
                       for name, again in (("first", "false"), ("second", "true")))
        (tmp_path / "t.toml").write_text('title = "t"\nsource = "s"\nmeasure = "m"\n' + rows)
        return str(tmp_path / "t.toml")

    return write


def test_a_table_that_is_stopped_shows_its_rows_until_then(two_rows, capsys):
    def stop():
        raise KeyboardInterrupt

    assert main(["reproduce", two_rows(stop)]) == 1
    printed = capsys.readouterr()
    assert "first" in printed.out
    assert "50.0" in printed.out
    assert "second" not in printed.out
    assert printed.err == "emberscope: stopped.\n"


def test_a_row_of_a_table_is_printed_before_the_next_is_measured(two_rows, capsys):
    until_then = []

    def second():
        until_then.append(capsys.readouterr().out)
        return 0.25

    assert main(["reproduce", two_rows(second)]) == 0
    assert "first" in until_then[0]
    assert capsys.readouterr().out.split() == ["second", "25.0"]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".md"])
def test_a_table_is_written_in_the_form_its_name_asks_for(two_rows, tmp_path, capsys, suffix):
    out = tmp_path / f"found{suffix}"
    assert main(["reproduce", two_rows(lambda: 0.25), "--out", str(out)]) == 0
    words = out.read_text(encoding="utf-8")
    assert words.startswith({".csv": "name,published", ".json": "{", ".md": "# t"}[suffix])
    assert "second" in words


def test_a_stopped_table_writes_the_rows_until_then(two_rows, tmp_path, capsys):
    def stop():
        raise KeyboardInterrupt

    out = tmp_path / "found.json"
    assert main(["reproduce", two_rows(stop), "--out", str(out), "--json"]) == 1
    assert [row["name"] for row in json.loads(out.read_text())["rows"]] == ["first"]
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text())


@pytest.mark.parametrize("name", ["found.txt", "found", "nowhere/found.csv"])
def test_a_table_that_cannot_be_written_is_not_measured(two_rows, tmp_path, capsys, name):
    measured = []
    assert main(["reproduce", two_rows(lambda: measured.append(0) or 0.0), "--out", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not measured


def test_methods_as_json_carries_the_parameter_specs(capsys):
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(row["params"] and row["params"][0]["name"] for row in rows)


def test_choices_of_vectors_are_refused_where_no_vectors_are_made(tmp_path, capsys):
    assert main(["export", "nowhere.ember", "--to", "csv", str(tmp_path), "--dimensions", "3"]) == 1
    assert "--dimensions say nothing of csv. Leave them out, or give --to bags." in capsys.readouterr().err


@pytest.mark.parametrize(("option", "known"), [("--variant", Variant), ("--projection", Kind)])
def test_the_command_line_offers_the_conversions_there_are(option, known):
    parser = argparse.ArgumentParser()
    _add_conversion(parser)
    (offered,) = [action.choices for action in parser._actions if option in action.option_strings]
    assert set(offered) == set(get_args(known))


@pytest.mark.parametrize(
    "arguments",
    [
        ["embed", "nowhere.npz", "--method", "pca", "--out", "o.npz"],
        ["embed", "{points}", "--method", "no-such", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--set", "n_components=many", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--set", "n_components", "--out", "o.npz"],
        ["embed", "{points}", "--method", "pca", "--out", "no-folder/o.npz"],
        ["embed", "{points}", "--method", "pca", "--out", "."],
        ["classify", "{points}", "--method", "knn", "--folds", "90"],
        ["classify", "{points}", "--method", "knn", "--set", "n_components=3"],
        ["info", "nowhere.arf"],
        ["info", "nowhere.ember"],
        ["export", "nowhere.ember", "--to", "csv", "out"],
        ["run", "nowhere.toml", "--project", "nowhere.ember"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_wrong_call_gives_one_line_and_code_1(arguments, point_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([word.replace("{points}", str(point_file)) for word in arguments]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith("emberscope: ")
    assert len(printed.err.strip().splitlines()) == 1
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(
    "arguments",
    [
        "embed --method pca",
        "embed in.npz --method pca --out o.npz --seed -1",
        "classify in.npz --method svm",
        "classify in.npz --method knn --folds 1",
        "classify in.npz --method knn --repeats 0",
        "import p.ember clip.npy --weaken 7",
        "import p.ember clip.npy --every 0",
        "import p.ember clip.npy --background -1",
        "import p.ember clip.npy --background-rule nearby",
        "import p.ember clip.npy --every often",
        "export p.ember --to pdf out",
        "demo --seed x",
    ],
)
def test_wrong_usage_ends_with_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_a_word_that_is_neither_command_nor_file_opens_no_window(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["emebd"]) == 2
    assert "neither a command nor a file" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_the_program_says_so(capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert main([]) == 1
    assert "no display" in capsys.readouterr().err


def test_a_defect_asks_to_be_reported(monkeypatch, capsys):
    monkeypatch.setattr("emberscope.doctor.examine", lambda: 1 / 0)
    assert main(["doctor"]) == 1
    assert "defect: ZeroDivisionError" in capsys.readouterr().err


def test_doctor_says_what_is_installed_and_where_the_cache_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numpy"] == np.__version__
    assert found["cache folder"] == str(tmp_path / "cache")


def test_info_of_a_file_that_ends_early_says_so_and_goes_on(tmp_path, capsys):
    write_arf(tmp_path / "a.arf", np.zeros((3, 8, 8), np.uint16), n_frames=3, shape=(8, 8))
    (tmp_path / "cut.arf").write_bytes((tmp_path / "a.arf").read_bytes()[:-100])
    assert main(["info", str(tmp_path / "cut.arf"), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["frames"] == 2
    assert "ends after frame 2 of 3" in printed.err


def test_info_of_saturated_frames_says_so(tmp_path, capsys):
    frames = np.arange(64, dtype=np.uint16).reshape(1, 8, 8)
    frames[0, :2] = 63
    np.save(tmp_path / "a.npy", frames)
    assert main(["info", str(tmp_path / "a.npy"), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["quality"]["findings"][0]["code"] == "saturated"
    assert "27 % of pixels are at 0 or 63, the ends of the range" in printed.err


def test_a_run_on_a_source_that_changed_says_so_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = _frames(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    np.save(clip, np.load(clip) + 1)
    recipe = tmp_path / "r.toml"
    recipe.write_text('method = "pca"\n[bags]\npatch = 12\nstride = 6\n')
    assert main(["run", str(recipe), "--project", project, "--json"]) == 0
    assert "clip.npy changed since it was added." in capsys.readouterr().err


def test_json_has_null_for_numbers_that_are_none(tmp_path, capsys):
    project = Project()
    project.apply(PutRuns(after=[a_run(metrics={"knn_balanced": float("nan"), "purity": 0.5})]))
    save(project, tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["metrics"] == {"knn_balanced": None, "purity": 0.5}


def test_debug_shows_where_an_error_came_from(tmp_path):
    with pytest.raises(Exception, match="no such file"):
        main(["embed", str(tmp_path / "nowhere.npz"), "--method", "pca", "--out", "o.npz", "--debug"])


def _frames(folder, count=6):
    """A source of a bright square on noise, and truth for it as a table."""
    rng = np.random.default_rng(0)
    stack = rng.normal(1000, 5, (count, 96, 128))
    lines = ["frame,x,y,w,h"]
    for i in range(count):
        x, y = 20 + 10 * i, 30
        stack[i, y : y + 12, x : x + 16] += 200
        lines.append(f"{i},{x + 1},{y + 1},16,12")
    np.save(folder / "clip.npy", stack.astype(np.uint16))
    (folder / "clip_boxes.csv").write_text("\n".join(lines))
    return folder / "clip.npy", folder / "clip_boxes.csv"


def test_import_run_and_export_make_a_whole_loop(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = _frames(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    recipe = tmp_path / "r.toml"
    recipe.write_text('method = "pca"\n[bags]\npatch = 12\nstride = 6\n[params]\nn_components = 3\n')
    assert main(["run", str(recipe), "--project", project, "--json"]) == 0
    printed = capsys.readouterr().out
    facts = json.loads(printed[printed.index("{") :])  # after the lines of import nothing but one JSON value
    assert facts["method"] == "pca"
    assert facts["bags"] == 30
    assert isinstance(facts["notes"], list)
    for form in ("jsonl", "csv", "npz", "png", "html"):
        assert main(["export", project, "--to", form, str(tmp_path / "out")]) == 0
    names = {path.suffix for path in (tmp_path / "out").iterdir()}
    assert names == {".jsonl", ".csv", ".npz", ".png", ".html"}
    page = (tmp_path / "out" / "p.html").read_text()
    assert "data:image/png;base64," in page
    assert "http" not in page


def test_info_says_which_patches_fit_and_what_features_tell_at_best(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = _frames(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    capsys.readouterr()
    assert main(["info", project, "--ceiling"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Targets are 16 px: patches of 16 px, step 8." in printed
    assert "pointing at best" in printed
    assert main(["info", project, "--ceiling", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["fitting sizes"]["patch"] == 16
    assert (facts["ceiling of"], [row["source"] for row in facts["ceiling"]]) == ("16 px infrared", ["clip.npy"])


def test_a_source_has_no_ceiling(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((1, 8, 8), np.uint16))
    assert main(["info", str(tmp_path / "a.npy"), "--ceiling"]) == 1
    assert "a.npy is no project" in capsys.readouterr().err


def test_info_tells_a_person_one_line_per_run(tmp_path, capsys):
    project = Project()
    first = a_run(metrics={"method_bag_auc": 0.75, "method_bag_auc_low": 0.6, "method_bag_auc_high": 0.9})
    wider = msgspec.structs.replace(first.recipe, bags=BagRecipe(patch=48))
    second = msgspec.structs.replace(first, id=12, recipe=wider, metrics={"bag_auc": 0.99})
    project.apply(PutRuns(after=[first, second]))
    project.apply(mark(project, first.ids[:2].tolist(), BACKGROUND))
    save(project, tmp_path / "p.ember")
    assert main(["info", str(tmp_path / "p.ember")]) == 0
    one, other = [line for line in capsys.readouterr().out.splitlines() if "mida" in line]
    assert "0.75 (0.60 \u2013 0.90)" in one
    assert "patch 48, 2 marks since" in " ".join(other.split())
    assert "0.99" not in other  # a classifier's, which is not the method's


def test_import_keeps_the_good_sources_and_names_the_bad_one(tmp_path, capsys):
    clip, _ = _frames(tmp_path)
    bad = tmp_path / "bad.tif"
    bad.write_text("not a picture")
    assert main(["import", str(tmp_path / "p.ember"), str(bad), str(clip)]) == 1
    printed = capsys.readouterr()
    assert "bad.tif" in printed.err
    assert "6 frames" in printed.out
    assert main(["info", str(tmp_path / "p.ember"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] == ["clip.npy"]


def test_info_of_a_matlab_set_without_bags_speaks_of_instances_and_labels(tmp_path, capsys):
    savemat(tmp_path / "faces.mat", {"fea": np.zeros((30, 4)), "gnd": np.ones((30, 1))})
    assert main(["info", str(tmp_path / "faces.mat"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["instances"], found["features"], found["labels"], found["bags"]) == (30, 4, "gnd", 0)
    assert "frame" not in json.dumps(found).lower()


def test_info_of_one_file_of_a_matlab_set_names_the_folder(tmp_path, capsys):
    savemat(tmp_path / "X.mat", {"X": np.zeros((6, 2))})
    savemat(tmp_path / "Bag2.mat", {"Bag2": np.ones((6, 1))})
    for file in ("X.mat", "Bag2.mat"):
        main(["info", str(tmp_path / file)])
        said = capsys.readouterr()
        assert str(tmp_path) in "".join((said.out + said.err).split())
        assert "frames" not in said.out + said.err


def test_info_of_a_table_without_names_of_columns_says_how_bags_are_named(tmp_path, capsys):
    (tmp_path / "set.csv").write_text("1.5,2.5,3.5\n")
    assert main(["info", str(tmp_path / "set.csv")]) == 1
    assert "A set of bags? Name its columns in a first line: bag,label" in capsys.readouterr().err


def test_info_of_a_folder_of_clips_lists_them_whatever_lies_beside(tmp_path, capsys):
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.zeros((3, 4, 5), np.uint16))
    savemat(tmp_path / "a_labels.mat", {"boxes": np.zeros((2, 4))})
    assert main(["info", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert "a.npy" in shown.out
    assert "b.npy" in shown.out
    assert "1 file is left out, which no reader knows: a_labels.mat." in shown.err


def test_import_of_nothing_is_wrong_usage(tmp_path, capsys):
    assert main(["import", str(tmp_path / "p.ember")]) == 2
    assert "nothing to import" in capsys.readouterr().err
