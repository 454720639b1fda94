"""The pages of the site: every help page, method and notebook is there, links lead somewhere."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from emberscope.cli import build_parser

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def site():
    path = ROOT / "packaging" / "site" / "make_site.py"
    spec = importlib.util.spec_from_file_location("make_site", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def staged(site, tmp_path_factory):
    """The folder of the pages, and the paths that the navigation names."""
    docs = tmp_path_factory.mktemp("site") / "docs"
    return docs, set(re.findall(r"[^\"]+\.md", json.dumps(site.stage(docs))))


def test_every_page_is_in_the_navigation(staged):
    docs, named = staged
    assert {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} <= named


def test_links_lead_to_pages_and_images_that_are_there(staged):
    docs, _ = staged
    lost = [
        (path.name, link)
        for path in docs.rglob("*.md")
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not link.startswith("http") and not (path.parent / link).is_file()
    ]
    assert lost == []


def test_a_page_of_a_method_has_its_title(staged):
    docs, _ = staged
    assert (docs / "methods" / "mi-umap.md").read_text(encoding="utf-8").startswith("# MI-UMAP")


def test_the_library_describes_modules_that_are_there(site):
    assert [room for room in site.ROOMS if importlib.util.find_spec(room) is None] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_the_top(path, tmp_path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    own = dict.fromkeys(["EMBERSCOPE_CACHE", "TMPDIR", "TEMP", "TMP"], str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=os.environ | own,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_notebooks_are_kept_without_results():
    kept = [path.name for path in NOTEBOOKS
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell.get("outputs")]  # fmt: skip
    assert kept == []


def test_every_plate_of_the_gallery_is_made_by_commands_that_there_are(site):
    for plate in site.GALLERY:
        for command in plate.commands:
            build_parser().parse_args(shlex.split(command))
        assert " - " in " ".join(plate.commands) or not plate.recipe


def test_plates_of_the_gallery_show_generated_data_alone(site):
    made = set()
    for command in (command for plate in site.GALLERY for command in plate.commands):
        words = shlex.split(command)
        read = {word for word in words[1:] if Path(word).suffix in (".ember", ".npz")}
        if words[0] == "generate":
            made |= read
        elif words[0] == "import":
            made.add(words[1])
        elif words[0] == "demo":
            made.add("demo/demo.ember")
        assert read <= made, command


def test_the_gallery_has_a_plate_of_more_than_one_kind_of_data(site):
    begun = {plate.commands[0].split()[0] for plate in site.GALLERY}
    assert begun >= {"demo", "generate", "export"}


def test_a_recipe_is_shown_where_it_is_piped_in(site):
    plate = site.Plate("Roll", ("run - --project roll.ember",), (), 'method = "isomap"')
    assert site.shown(plate) == [
        "echo 'method = \"isomap\"' | emberscope run - --project roll.ember"
    ]
