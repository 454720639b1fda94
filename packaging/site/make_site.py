"""The documentation as a site of plain files: help pages, methods, library, notebooks, gallery.

    python3 packaging/bootstrap.py site --out DIR

Everything on it is made here: help pages are those of the window, the library is described by its
docstrings, notebooks are run, and figures of the gallery are drawn by commands that stand under
them, of generated data alone. Material for MkDocs makes the pages; nothing on them is read from
another computer.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HELP = ROOT / "resources" / "emberscope_resources" / "help"
PICTURES = ROOT / "resources" / "emberscope_resources" / "pictures"
NOTEBOOKS = ROOT / "docs" / "notebooks"
_LINK = re.compile(r"\]\(([a-z0-9/-]+)(#[^)]*)?\)")
# What a person calls from Python, room by room, as the map of the rooms has it
ROOMS = {
    "emberscope.frames": "Frames", "emberscope.frames.registry": "Formats of frames",
    "emberscope.labels.model": "Labels", "emberscope.labels.truth": "Truth",
    "emberscope.labels.weaken": "Loose labels from truth", "emberscope.bags": "Bags",
    "emberscope.bags.make": "From labels to bags", "emberscope.datasets.model": "Point sets",
    "emberscope.features.extract": "Features",
    "emberscope.features.recipe": "Recipes of features", "emberscope.neighbors": "Neighbors",
    "emberscope.catalogue": "The catalogue of methods", "emberscope.point_tasks": "Tasks on points",
    "emberscope.project.model.project": "Project", "emberscope.project.store.file": "Its file",
    "emberscope.project.model.recipe": "Recipes", "emberscope.pipeline": "Runs",
    "emberscope.scoring.clips": "Scored clips", "emberscope.demo": "The demonstration",
}  # fmt: skip


class Plate(NamedTuple):
    """Images of the gallery, and the commands that make them behind those of the plates before. A
    recipe is handed to a command as its input."""

    title: str
    commands: tuple[str, ...]
    images: tuple[str, ...]
    recipe: str = ""


GALLERY = (
    Plate("The generated range scene",
          ("demo --headless --out demo",), ("demo/map_2d.png", "demo/map_3d.png")),
    Plate("Its classes, with a histogram of each along the edges",
          ("export demo/demo.ember classes.png --figure map-2d --histograms",), ("classes.png",)),
    Plate("Every instance in the order of its held-out score",
          ("export demo/demo.ember ranking.png --figure ranking",), ("ranking.png",)),
    Plate("Targets found over false alarms, by truth",
          ("export demo/demo.ember roc.png --figure roc",), ("roc.png",)),
    Plate("How many neighbors the map keeps",
          ("export demo/demo.ember neighbors.png --figure neighbors-kept",), ("neighbors.png",)),
    Plate("A rolled rectangle, and Isomap that unrolls it",
          ("generate roll roll.npz", "import roll.ember roll.npz", "run - --project roll.ember",
           "export roll.ember roll.png --figure map-2d"), ("roll.png",), 'method = "isomap"'),
    Plate("One target in each positive bag, which MI-LE draws apart",
          ("generate planted-targets planted.npz", "import planted.ember planted.npz",
           "run - --project planted.ember",
           "export planted.ember planted.png --figure map-2d --color witness"),
          ("planted.png",), 'method = "mi-le"'),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bootstrap.py site")
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="folder [site]")
    a = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        pages = stage(docs)
        run_notebooks(docs / "notebooks")
        draw_gallery(docs)
        (Path(folder) / "mkdocs.yml").write_text(settings(pages, docs), encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet",
             "--config-file", Path(folder) / "mkdocs.yml", "--site-dir", a.out.resolve()],
            check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        ).returncode  # fmt: skip


def stage(docs: Path) -> list[dict[str, object]]:
    """Write the pages that need nothing but files; returns the navigation."""
    sys.path[:0] = [str(ROOT / part) for part in ("engine", "app", "resources")]
    from emberscope.catalogue import METHODS

    titles = {path.stem: title_of(path) for path in sorted(HELP.glob("*.md"))}
    put(docs / "index.md", front_page())
    shutil.copytree(PICTURES, docs / "pictures")
    shutil.copytree(HELP / "images", docs / "images")
    for name in titles:
        put(docs / f"{name}.md", with_links((HELP / f"{name}.md").read_text("utf-8"), ""))
    methods = dict[str, str]()
    for method in METHODS:
        text = (HELP / "methods" / f"{method.id}.md").read_text("utf-8")
        put(docs / "methods" / f"{method.id}.md",
            f"# {method.title}\n\n{with_links(text, '../')}")
        methods[method.short] = f"methods/{method.id}.md"
    for room, title in ROOMS.items():
        put(docs / "library" / f"{room}.md", f"# {title}\n\n::: {room}\n")
    books = {path.stem: path for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    for name, path in books.items():
        put(docs / "notebooks" / f"{name}.ipynb", path.read_text("utf-8"))
    first = ("first-steps", "labels", "weak-supervision")
    return [
        {"Emberscope": "index.md"},
        {"Tour": [{titles[name]: f"{name}.md"} for name in first]},
        {"Guide": [{title: f"{name}.md"} for name, title in titles.items()
                   if name not in (*first, "glossary", "about")]},
        {"Methods": [{title: page} for title, page in methods.items()]},
        {"Notebooks": [{book_title(path): f"notebooks/{name}.md"} for name, path in books.items()]},
        {"Gallery": "gallery.md"},
        {"Library": [{title: f"library/{room}.md"} for room, title in ROOMS.items()]},
        {"Glossary": "glossary.md"}, {"About": "about.md"},
    ]  # fmt: skip


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def title_of(path: Path) -> str:
    """The first heading of a page."""
    return next(line[2:].strip() for line in path.read_text("utf-8").splitlines()
                if line.startswith("# "))


def book_title(path: Path) -> str:
    """The first heading of a notebook."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return str(cells[0]["source"][0]).removeprefix("# ").strip()


def with_links(text: str, up: str) -> str:
    """A help page whose links name files: in the window they name pages."""
    return _LINK.sub(lambda found: f"]({up}{found[1]}.md{found[2] or ''})", text)


def front_page() -> str:
    """The front page of the repository, without links to its files."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = text.replace("resources/emberscope_resources/pictures/", "pictures/")
    return re.sub(r"\[([^]]+)\]\((?!http|pictures/)[^)]*\)", r"\1", text)


def run_notebooks(folder: Path) -> None:
    """Each notebook, run from the top, as a page with its results."""
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [sys.executable, "-m", "nbconvert", "--execute", "--to", "markdown", "--log-level",
             "WARN", *sorted(folder.glob("*.ipynb"))],
            check=True, env=os.environ | {"EMBERSCOPE_STATE": home},
        )  # fmt: skip


def draw_gallery(docs: Path) -> None:
    """Each plate of the gallery above the commands that make it."""
    out = docs / "gallery"
    out.mkdir(parents=True)
    lines = ["# Gallery", "", "Data of these images are generated; what makes them stands below."]
    with tempfile.TemporaryDirectory() as home:
        for plate in GALLERY:
            lines += ["", f"## {plate.title}", ""]
            for command in plate.commands:
                piped = plate.recipe if " - " in command else ""
                subprocess.run(
                    [sys.executable, "-m", "emberscope", *shlex.split(command)], check=True,
                    cwd=home, input=piped, text=True, env=os.environ | {"EMBERSCOPE_STATE": home},
                )  # fmt: skip
            for image in plate.images:
                name = Path(image).name
                shutil.copy(Path(home) / image, out / name)
                lines += [f"![{plate.title}](gallery/{name})", ""]
            lines += ["```", *shown(plate), "```"]
    put(docs / "gallery.md", "\n".join([*lines, ""]))


def shown(plate: Plate) -> list[str]:
    """The commands of a plate, as one types them."""
    return [
        f"echo {shlex.quote(plate.recipe)} | emberscope {command}" if " - " in command
        else f"emberscope {command}"
        for command in plate.commands
    ]  # fmt: skip


def settings(pages: list[dict[str, object]], docs: Path) -> str:
    """What MkDocs is told. JSON is YAML too."""
    return json.dumps({
        "site_name": "Emberscope", "docs_dir": str(docs), "nav": pages,
        "exclude_docs": "*.ipynb", "use_directory_urls": False,
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs"],
                  "palette": [{"scheme": "slate", "primary": "black", "accent": "deep orange"}]},
        "plugins": [
            {"search": {}},
            {"mkdocstrings": {"handlers": {"python": {
                "paths": [str(ROOT / "engine")],
                "options": {"docstring_style": "numpy", "show_source": False,
                            "show_root_heading": False, "show_root_toc_entry": False,
                            "members_order": "source", "show_if_no_docstring": False},
            }}}},
        ],
        "markdown_extensions": ["tables", "fenced_code", {"toc": {"permalink": True}},
                                "pymdownx.superfences", "pymdownx.highlight"],
        "validation": {"anchors": "warn"},
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
