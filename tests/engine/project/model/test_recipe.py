"""Recipes as files, and the ones that come along."""

import msgspec
import pytest
from msgspec.structs import replace

from emberscope import catalogue
from emberscope.bags.recipe import BagRecipe
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.errors import ProjectError
from emberscope.base.param import check_params
from emberscope.features.extract import n_features
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.model.recipe import Recipe, read_recipe, sample_recipes, to_toml

NAMES = ("imputed-labels", "neighbors", "quick-look", "seed-chips", "supervised", "weak-labels")


def test_six_recipes_come_along():
    assert tuple(sample_recipes()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_that_comes_along_is_known_to_its_method(name):
    recipe = read_recipe(name)
    check_params(catalogue.load(recipe.method).params, recipe.params)
    assert n_features(recipe.features) >= recipe.reduce


def test_a_file_wins_over_a_recipe_that_comes_along(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick-look").write_text('method = "tsne"\n')
    assert read_recipe("quick-look").method == "tsne"


def test_an_unknown_name_lists_the_recipes_there_are():
    with pytest.raises(
        ProjectError,
        match=r"nix: there is no such recipe\. Recipes that come along: imputed-labels, ",
    ):
        read_recipe("nix")


def test_a_misspelled_field_is_named(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text('metod = "pca"\n')
    with pytest.raises(ProjectError, match="metod"):
        read_recipe(path)


def test_a_written_recipe_reads_back(tmp_path):
    recipe = Recipe(method="pca", reduce=20, params={"n_components": 3, "whiten": True}, seed=4)
    path = tmp_path / "r.toml"
    path.write_text(to_toml(recipe))
    assert read_recipe(path) == recipe


@pytest.mark.parametrize(
    "split",
    [
        SplitRecipe(kind="clip", folds=3),
        SplitRecipe(kind="bags"),
        SplitRecipe(kind="hold-out", sources=("a b.arf", "c")),
    ],
)
def test_a_written_split_reads_back(tmp_path, split):
    path = written(tmp_path / "r.toml", to_toml(Recipe(split=split)))
    assert read_recipe(path).split == split


def test_a_split_of_a_file_takes_nothing_from_the_usual_one(tmp_path):
    usual = Recipe(split=SplitRecipe(kind="hold-out", sources=("day",)))
    found = read_recipe(written(tmp_path / "r.toml", '[split]\nkind = "clip"\n'), usual)
    assert found.split == SplitRecipe(kind="clip")


def test_an_unknown_split_is_named_with_those_there_are(tmp_path):
    with pytest.raises(
        ProjectError,
        match=r"no kind of split 'by-day'\. Known kinds: default, clip, bags, hold-out",
    ):
        read_recipe(written(tmp_path / "r.toml", '[split]\nkind = "by-day"\n'))


def test_further_patch_sizes_are_a_list_and_none_where_an_older_recipe_has_no_word_of_them(
    tmp_path,
):
    path = tmp_path / "r.toml"
    path.write_text("[bags]\npatch = 24\nalso = [48, 96]\n")
    assert read_recipe(path).bags.sides == (24, 48, 96)
    path.write_text(to_toml(read_recipe(path)))
    assert read_recipe(path).bags.also == (48, 96)
    path.write_text("[bags]\npatch = 24\n")
    assert read_recipe(path).bags.sides == (24,)


USUAL = Recipe(
    bags=BagRecipe(patch=24, stride=8, also=(64,)),
    features=FeatureRecipe(kind="infrared"),
    reduce=0,
)


def written(path, text):
    path.write_text(text)
    return path


def test_what_a_file_leaves_out_comes_from_the_usual_recipe(tmp_path):
    assert read_recipe(written(tmp_path / "r.toml", 'method = "pca"\n'), USUAL) == replace(
        USUAL, method="pca"
    )


def test_a_patch_of_ones_own_brings_its_half_as_step_and_no_further_sizes(tmp_path):
    bags = read_recipe(written(tmp_path / "r.toml", "[bags]\npatch = 48\n"), USUAL).bags
    assert (bags.sides, bags.stride) == ((48,), 24)


def test_features_of_another_kind_are_reduced_by_the_default(tmp_path):
    recipe = read_recipe(written(tmp_path / "r.toml", '[features]\nkind = "hog"\n'), USUAL)
    assert (recipe.features, recipe.reduce) == (FeatureRecipe(kind="hog"), 50)


def test_hyper_parameters_stay_with_the_method_they_were_chosen_for(tmp_path):
    usual = replace(USUAL, params={"n_components": 3})
    assert read_recipe(written(tmp_path / "r.toml", "seed = 1\n"), usual).params == {
        "n_components": 3
    }
    assert read_recipe(written(tmp_path / "r.toml", 'method = "pca"\n'), usual).params == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[bags]\nalso = [0]", "bags.also"),
        ("methd = 'pca'", "methd"), ("seed = -1", "seed"), ("reduce = -5", "reduce"),
        ("[bags]\nlevl = 'chip'", "levl"),
        ("[bags]\npatch = 0", "bags.patch"), ("[features]\nlow = 101", "features.low"),
        ("[features]\nx = 1", "x"),
        ("not toml", "line 1"),
    ],
)  # fmt: skip
def test_a_wrong_recipe_names_what_is_wrong(tmp_path, text, message):
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(ProjectError, match=message):
        read_recipe(tmp_path / "r.toml")


def test_a_file_that_is_no_text_is_no_recipe(tmp_path):
    (tmp_path / "r.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProjectError, match="cannot read the recipe"):
        read_recipe(tmp_path / "r.toml")


@pytest.mark.parametrize(("text", "what"), [
    ("a" + ".a" * 600 + " = 1\n", "a line has more than 500 dots"),
    ("# " + "x" * 70_000, "more than 64 KiB"),
])  # fmt: skip
def test_a_recipe_that_would_fill_the_memory_is_refused_before_it_is_read(
    tmp_path, monkeypatch, text, what
):
    monkeypatch.setattr(msgspec.toml, "decode", lambda *args, **more: pytest.fail("it was read"))
    path = tmp_path / "r.toml"
    path.write_text(text)
    with pytest.raises(ProjectError, match=f"cannot read the recipe: .*{what}"):
        read_recipe(path)
