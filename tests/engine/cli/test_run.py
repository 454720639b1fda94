"""`emberscope run`, called as a person calls it."""

import json

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project.file import load

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


def test_import_run_and_export_make_a_whole_loop(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
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


def test_a_recipe_that_names_a_method_alone_looks_at_what_fits_the_labels(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    clip, truth = a_clip_with_truth(tmp_path)
    path = tmp_path / "p.ember"
    assert main(["import", str(path), str(clip), "--truth", str(truth), "--weaken", "1"]) == 0
    (tmp_path / "r.toml").write_text('method = "pca"\n')
    assert main(["run", str(tmp_path / "r.toml"), "--project", str(path)]) == 0
    (run,) = load(path).runs.values()
    assert (run.recipe.bags.patch, run.recipe.features.kind) == (24, "infrared")


def test_a_recipe_has_distances_of_chips_for_the_methods_that_take_them(tmp_path, monkeypatch, capsys):
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
def test_a_wrong_setting_of_a_recipe_names_the_file_and_the_setting(tmp_path, capsys, words, problem):
    clip, truth = a_clip_with_truth(tmp_path)
    project, recipe = str(tmp_path / "p.ember"), tmp_path / "r.toml"
    main(["import", project, str(clip), "--truth", str(truth)])
    recipe.write_text(f'method = "pca"\n{words}\n')
    capsys.readouterr()
    assert main(["run", str(recipe), "--project", project]) == 1
    assert f"{recipe}: {problem}" in capsys.readouterr().err
