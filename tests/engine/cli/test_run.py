"""`emberscope run`, called as a person calls it."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project.store.file import load

from ..features.onnx_bytes import color_network
from .builders import a_clip_with_truth


def test_a_run_on_a_source_that_changed_says_so_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    np.save(clip, np.load(clip) + 1)
    recipe = tmp_path / "r.toml"
    recipe.write_text('method = "pca"\n[bags]\npatch = 12\nstride = 6\n')
    assert main(["run", str(recipe), "--project", project, "--json"]) == 0
    assert "clip.npy changed since it was added." in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    "score p.ember unseen.npy --to out", "labels p.ember --doubtful",
    "study how-loose --project p.ember --out out --plan", "export p.ember out --to html",
])  # fmt: skip
def test_what_reads_frames_of_a_source_that_changed_says_so(
    words, tmp_path, monkeypatch, few_trees, capsys
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    Path("r.toml").write_text('method = "pca"\n[bags]\npatch = 12\nstride = 6\n')
    assert main(["run", "r.toml", "--project", "p.ember"]) == 0
    np.save("unseen.npy", np.load(clip))
    np.save(clip, np.load(clip) + 1)
    capsys.readouterr()
    assert main(words.split()) == 0
    assert "clip.npy changed since it was added." in capsys.readouterr().err


def test_import_run_and_export_make_a_whole_loop(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'method = "pca"\n[bags]\npatch = 12\nstride = 6\n[params]\nn_components = 3\n'
    )
    assert main(["run", str(recipe), "--project", project, "--json"]) == 0
    printed = capsys.readouterr().out
    # After the lines of import nothing but one JSON value
    facts = json.loads(printed[printed.index("{") :])
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


def test_a_recipe_that_names_a_method_alone_looks_at_what_fits_the_labels(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path = tmp_path / "p.ember"
    assert main(["import", str(path), str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    (tmp_path / "r.toml").write_text('method = "pca"\n')
    assert main(["run", str(tmp_path / "r.toml"), "--project", str(path)]) == 0
    (run,) = load(path).runs.values()
    assert (run.recipe.bags.patch, run.recipe.features.kind) == (24, "infrared")


def test_a_recipe_has_distances_of_chips_for_the_methods_that_take_them(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path, recipe = tmp_path / "p.ember", tmp_path / "r.toml"
    assert main(["import", str(path), str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    for method, code in (("isomap", 0), ("pca", 1)):
        recipe.write_text(f'method = "{method}"\ndistances = "registration"\n[bags]\npatch = 12\n'
                          '[features]\nkind = "pixels"\nchip = 12\n')
        assert main(["run", str(recipe), "--project", str(path)]) == code
    assert "PCA takes no distances of chips. Methods that do: " in capsys.readouterr().err
    (run,) = load(path).runs.values()
    assert json.loads(run.state["measure_"])["kind"] == "registration"


@pytest.mark.parametrize(("words", "problem"), [
    ("[params]\nfoo = 1", "there is no parameter foo. Known parameters: n_components, whiten"),
    ("[params]\nn_components = [2]", "n_components is [2]. Give 1 - 512"),
    ("[params]\nn_components = 1" + "0" * 400, "n_components is 1000"),
    ('classifier = "knn"\n[classifier_params]\nC = 1', "there is no parameter C"),
])  # fmt: skip
def test_a_wrong_setting_of_a_recipe_names_the_file_and_the_setting(
    tmp_path, capsys, words, problem
):
    clip, truth = a_clip_with_truth(tmp_path)
    project, recipe = str(tmp_path / "p.ember"), tmp_path / "r.toml"
    main(["import", project, str(clip), "--truth", str(truth)])
    recipe.write_text(f'method = "pca"\n{words}\n')
    capsys.readouterr()
    assert main(["run", str(recipe), "--project", project]) == 1
    assert f"{recipe}: {problem}" in capsys.readouterr().err


def two_clips(folder):
    """A project of two clips whose boxes know their targets, the second with targets that nothing
    tells apart."""
    clips = []
    for name, bright in (("day", 0), ("night", 200)):
        (folder / name).mkdir()
        clip, truth = a_clip_with_truth(folder / name, count=12)
        frames = np.random.default_rng(len(clips)).normal(1000, 5, (12, 96, 128))
        for i in range(12):
            x = 20 + 10 * (i % 9)
            frames[i, 30:42, x : x + 16] += bright
        np.save(clip, (frames + (300 if bright else 0)).astype(np.uint16))
        rows = [f"{i},{21 + 10 * (i % 9)},31,16,12" for i in range(12)]
        truth.write_text("\n".join(["frame,x,y,w,h", *rows]))
        clips.append((clip.rename(folder / name / f"{name}.npy"), truth))
    return clips


def run_of_two_clips(folder, *options, recipe='method = "pca"\n[bags]\npatch = 12\nstride = 6\n'):
    project = str(folder / "p.ember")
    (day, day_truth), (night, night_truth) = two_clips(folder)
    assert main(["import", project, str(day), str(night), "--truth", str(day_truth),
                 str(night_truth),
                 "--weaken", "1"]) == 0  # fmt: skip
    named = []
    if recipe:
        (folder / "r.toml").write_text(recipe)
        named = [str(folder / "r.toml")]
    assert main(["run", *named, "--project", project, *options]) == 0
    return project


def test_a_run_of_two_clips_tells_programs_the_numbers_of_each(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    project = run_of_two_clips(tmp_path, "--json")
    printed = capsys.readouterr().out
    facts = json.loads(printed[printed.index("{") :])
    parts = {(part["clip"], part["class"]): part for part in facts["by_clip_and_class"]}
    assert set(parts) == {(None, None), ("day.npy", None), ("night.npy", None)}
    areas = [parts[clip, None]["method_bag_auc"] for clip in ("day.npy", "night.npy", None)]
    assert areas[2] == facts["method_bag_auc"] == pytest.approx((areas[0] + areas[1]) / 2)
    assert areas[1] > areas[0] + 0.2
    assert (
        parts["day.npy", None]["positive_bags"]
        == parts["day.npy", None]["witness_found_bags"]
        == 12
    )
    assert {"id", "weight", "text", "spoils", "action", "actions"} == set(facts["notes"][0])
    assert main(["info", project, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["by_clip_and_class"] == facts["by_clip_and_class"]
    assert run["notes"] == facts["notes"]


def test_a_person_reads_the_worst_clip_beside_the_mean_and_a_table_of_them(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    project = run_of_two_clips(tmp_path)
    printed = " ".join(capsys.readouterr().out.split())
    assert "mean of 2 clips" in printed
    assert "worst day.npy 0." in printed
    table = printed.partition(" method pca ")[2]
    # Keys stand in brackets behind a title only
    assert re.findall(r"(?<!\()\b[a-z]+_[a-z_]+\b(?!\))", table) == []
    assert "Run 1 by clip and class:" in printed
    assert main(["info", project]) == 0
    assert "Run 1 by clip and class:" in capsys.readouterr().out


@pytest.mark.parametrize(("split", "words"), [
    ("",
     "default: 5 folds of blocks of frames; held out 20 to 25 bags, 1 to 2 clips, 4 to 5 frames; "
     "learned from 95 to 100 bags, 2 clips, 19 to 20 frames; frames of 2 clips on both sides"),
    ('[split]\nkind = "clip"\n',
     "clip: 2 folds of clips; held out 60 bags, 1 clip, 12 frames; learned from 60 bags, 1 clip, "
     "12 frames"),
    ('[split]\nkind = "hold-out"\nsources = ["day.npy"]\n',
     "hold-out of day.npy: held out 60 bags, 1 clip, 12 frames; learned from 60 bags, 1 clip, "
     "12 frames"),
])  # fmt: skip
def test_the_split_of_a_run_is_named_with_what_is_on_either_side(
    tmp_path, monkeypatch, capsys, split, words
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    project = run_of_two_clips(
        tmp_path, "--json", recipe=f'method = "pca"\n[bags]\npatch = 12\nstride = 6\n{split}'
    )
    printed = capsys.readouterr().out
    facts = json.loads(printed[printed.index("{") :])
    assert facts["split"]["words"] == words
    assert main(["info", project, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["split"] == facts["split"]


def test_a_run_without_a_recipe_has_one_area_for_one_claim(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    run_of_two_clips(tmp_path, recipe="")
    printed = " ".join(capsys.readouterr().out.split())
    assert "held-out bag AUC (method_bag_auc)" in printed
    assert "with an area of" not in printed
    assert "all were compared on" not in printed


@pytest.mark.parametrize(("words", "said"), [("seed = 4", True), ('method = "mi-umap"', False)])
def test_a_recipe_without_a_method_says_which_one_is_taken(
    tmp_path, monkeypatch, capsys, words, said
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    run_of_two_clips(tmp_path, recipe=f"{words}\n[bags]\npatch = 12\nstride = 6\n")
    printed = " ".join(capsys.readouterr().out.split())
    assert ("The recipe names no method: MI-UMAP is taken" in printed) == said


def test_a_recipe_that_is_piped_in_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path = tmp_path / "p.ember"
    assert main(["import", str(path), str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    piped = io.TextIOWrapper(io.BytesIO(b'method = "pca"\nseed = 4\n'))
    monkeypatch.setattr("sys.stdin", piped)
    assert main(["run", "-", "--project", str(path)]) == 0
    (run,) = load(path).runs.values()
    assert (run.recipe.method, run.recipe.seed) == ("pca", 4)


def test_a_split_by_a_column_is_said_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    recipe = 'method = "pca"\n[bags]\npatch = 12\nstride = 6\n'
    project = run_of_two_clips(tmp_path, recipe=recipe)
    (tmp_path / "known.csv").write_text("clip,light\nday,day\nnight,night\n")
    assert main(["import", project, "--table", str(tmp_path / "known.csv")]) == 0
    (tmp_path / "r.toml").write_text(f'split = "column:light test=night"\n{recipe}')
    for more in ([], ["--split", "column:light test=day"]):
        capsys.readouterr()
        assert main(["run", str(tmp_path / "r.toml"), "--project", project, "--json", *more]) == 0
        words = json.loads(capsys.readouterr().out)["split"]["words"]
        value = "day" if more else "night"
        assert words.startswith(f"column light, test {value}: held out 60 bags, 1 clip, 12 frames")


@pytest.mark.parametrize(("split", "problem"), [
    ("column:rain test=3", "the split is by rain, which is no column"),
    ("hold-out:gone.npy", "the split holds out gone.npy, which is no source"),
    ("hold-out:clip.npy", "no labeled bag is on the clips that are learned from"),
    ("clip", "2 folds of clips need 2 with labeled bags, there is 1"),
    ("column:clip test=clip.npy", "no label has another clip than clip.npy, which judges"),
])  # fmt: skip
def test_a_split_that_cannot_be_ends_before_anything_is_tried(
    tmp_path, monkeypatch, capsys, split, problem
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path = str(tmp_path / "p.ember")
    assert main(["import", path, str(clip), "--truth", str(truth)]) == 0
    capsys.readouterr()
    assert main(["run", "--project", path, "--split", split]) == 1
    printed = capsys.readouterr()
    assert problem in " ".join(printed.err.split())
    assert not load(path).runs


def test_an_error_names_a_split_that_was_asked_for_beside_the_recipe(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    clip, truth = a_clip_with_truth(tmp_path)
    assert main(["import", "p.ember", str(clip), "--truth", str(truth)]) == 0
    Path("r.toml").write_text('method = "pca"\n')
    capsys.readouterr()
    assert main(["run", "r.toml", "--project", "p.ember", "--split", "column:rain"]) == 1
    assert "r.toml with --split column:rain: the split is by rain" in " ".join(
        capsys.readouterr().err.split())


def test_a_recipe_has_features_of_a_network_in_a_file(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    project = str(tmp_path / "p.ember")
    assert main(["import", project, str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    (tmp_path / "net.onnx").write_bytes(color_network()[0])
    recipe = tmp_path / "r.toml"
    asked = 'method = "pca"\nreduce = 0\n[bags]\npatch = 12\nstride = 6\n[features]\nkind = "cnn"\n'
    recipe.write_text(f"{asked}file = 'net.onnx'\n")
    assert main(["run", str(recipe), "--project", project]) == 1
    assert "net.onnx: the network cannot be read" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(recipe), "--project", project, "--json"]) == 0
    assert '"features": 4' in capsys.readouterr().out
    assert load(project).runs[1].recipe.features.file == str(tmp_path / "net.onnx")
