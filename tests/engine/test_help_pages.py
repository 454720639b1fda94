"""Help pages say what the program does: links, methods, commands and keys are checked against the
code."""

import argparse
import json
import re
import shlex
from importlib import resources

import numpy as np
import pytest

from emberscope import catalogue
from emberscope.bags.recipe import BagRecipe
from emberscope.cli import COMMANDS, build_parser, main
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.features.recipe import FeatureRecipe
from emberscope.project import Project
from emberscope.project.model.recipe import Recipe, read_recipe, sample_recipes
from emberscope.project.store.file import save
from emberscope.report.promised_page import figures, with_figures

PAGES = {
    entry.name.removesuffix(".md"): entry.read_text(encoding="utf-8")
    for entry in (resources.files("emberscope_resources") / "help").iterdir()
    if entry.name.endswith(".md")
}
METHOD_PAGES = {f"methods/{method.id}" for method in catalogue.METHODS}
LINKS = [
    (page, link)
    for page, text in PAGES.items()
    for link in re.findall(r"(?<!!)\[[^]]*\]\(([^)]+)\)", text)
]
IMAGES = [
    (page, image)
    for page, text in PAGES.items()
    for image in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
]
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
LINES = [
    line.partition(" > ")[0]  # where output goes is the affair of the shell
    for text in PAGES.values() for kind, block in FENCE.findall(text) if kind == "sh"
    for line in block.splitlines() if line.startswith("emberscope ")
]  # fmt: skip


def _slugs(text):
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles}


def _section(page, title):
    return PAGES[page].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_links_lead_to_a_page_and_a_heading():
    headings = (
        METHOD_PAGES
        | {f"{name}#{slug}" for name in PAGES for slug in _slugs(PAGES[name])}
        | {*PAGES}
    )
    assert [(page, link) for page, link in LINKS if link not in headings] == []


def test_images_lie_with_the_help_and_are_no_wider_than_a_page():
    for _, image in IMAGES:
        data = (resources.files("emberscope_resources") / "help" / image).read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", image
        assert int.from_bytes(data[16:20], "big") <= 560, image


def test_every_image_is_on_a_page():
    folder = resources.files("emberscope_resources") / "help" / "images"
    assert {f"images/{entry.name}" for entry in folder.iterdir()} == {image for _, image in IMAGES}


def test_every_command_has_a_section_with_an_example():
    missing = [
        name for name in COMMANDS if f"\nemberscope {name}" not in _section("commands", name)
    ]
    assert not missing


@pytest.mark.parametrize("line", [line for line in LINES if shlex.split(line)[1] in COMMANDS])
def test_examples_are_valid_calls(line):
    assert build_parser().parse_args(shlex.split(line)[1:]).call


def _options(command):
    parser = argparse.ArgumentParser()
    COMMANDS[command].add_arguments(parser)
    return {
        option
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--")
    }


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_option_of_a_command_is_explained(command):
    missing = [
        option for option in _options(command) if not re.search(rf"{option}\b", PAGES["commands"])
    ]
    assert missing in ([], ["--help"])


def test_no_page_names_an_option_that_is_not_there():
    known = {"--debug", "--version", "--theme"}.union(*map(_options, COMMANDS))
    named = {
        (page, option)
        for page in PAGES
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGES[page])
    }
    assert {(page, option) for page, option in named if option not in known} == set()


def test_every_recipe_that_comes_along_is_in_the_table():
    assert all(f"| `{name}` |" in PAGES["commands"] for name in sample_recipes())


def test_the_recipe_of_the_page_names_all_fields_of_the_usual_one(tmp_path):
    block = next(block for kind, block in FENCE.findall(PAGES["commands"]) if kind == "toml")
    path = tmp_path / "r.toml"
    path.write_text(block, encoding="utf-8")
    bags, infrared = BagRecipe(patch=32, stride=20), FeatureRecipe(kind="infrared")
    assert read_recipe(path) == Recipe(bags=bags, features=infrared, reduce=0)


@pytest.fixture
def points(tmp_path):
    y = np.repeat([1, -1], 20)
    X = np.random.default_rng(0).normal(size=(40, 4)) + 3 * y[:, None]
    np.savez(tmp_path / "in.npz", X=X, y=y, bag=np.arange(40) // 4, bag_y=[1] * 5 + [-1] * 5)
    return str(tmp_path / "in.npz")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("embed",
         ["--method", "tsne", "--set", "n_iter=20", "--spread", "--out", "{folder}/z.npz"]),
         ("info", []),
        ("classify", ["--method", "knn", "--folds", "4", "--repeats", "2", "--set", "k=auto"]),
        ("convert", ["{folder}/vectors.npz"]),
    ],
)  # fmt: skip
def test_every_json_key_is_named(command, options, points, tmp_path, capsys):
    assert (
        main([command, points, *(o.replace("{folder}", str(tmp_path)) for o in options), "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    keys = [*found, *found.get("quality", ())]
    section = _section("commands", command)
    assert [key for key in keys if not re.search(rf"\b{key}\b", section)] == []


def test_every_number_and_array_of_faithfulness_is_named():
    X = np.random.default_rng(0).normal(size=(60, 4))
    found = faithfulness(X, X[:, :2], exact_limit=0)
    section = _section("commands", "embed")
    arrays = [f"quality_{name}" for name in found.points()]
    assert [
        name for name in [*found.numbers, *arrays] if not re.search(rf"\b{name}\b", section)
    ] == []


def test_every_json_key_of_a_project_is_named(tmp_path, capsys):
    save(Project(), tmp_path / "empty.ember")
    assert main(["info", str(tmp_path / "empty.ember"), "--json"]) == 0
    assert [
        key
        for key in json.loads(capsys.readouterr().out)
        if key not in _section("commands", "info")
    ] == []


def test_every_json_key_of_a_published_table_is_named(capsys):
    assert main(["reproduce", "not-reachable", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    section = _section("commands", "reproduce")
    assert [
        key for key in [*found, *found["rows"][0]] if not re.search(rf"\b{key}\b", section)
    ] == []


def test_every_json_key_of_a_method_is_named(capsys):
    assert main(["methods", "pca", "--json"]) == 0
    section = _section("commands", "methods")
    assert all(re.search(rf"\b{key}\b", section) for key in json.loads(capsys.readouterr().out))


def test_the_page_of_promises_has_the_figures_of_the_last_bench():
    assert with_figures(PAGES["promised"], figures()) == PAGES["promised"]


def test_nothing_that_was_measured_broke_a_promise():
    measured = {row["what"]: row["measured"] for row in figures()["rows"]}
    assert measured["rounds in which the process was killed"] >= 200
    assert measured["rounds that lost more than 2 s of work"] == 0
    assert measured["rounds after which the project was damaged"] == 0


def test_pages_neither_promise_to_save_by_themselves_nor_plead():
    found = re.findall(
        r"\b(autosave|please|oops|invalid|powerful)\b|!$", " ".join(PAGES.values()).lower()
    )
    assert not found
