"""Commands and the report say of point sets what they are: they speak of no frames."""

import html
import re

import pytest

from emberscope.cli import main

OF_FRAMES = re.compile(
    r"\b(frames?|clips?|patch(es)?|box(es)?|pixels?|px|detections?|draw)\b", re.IGNORECASE
)
BAGS = 12
ROWS = [f"{k},{k % 2},night,{k % 2 * 3 + n},{n}" for k in range(BAGS) for n in range(3)]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Twelve bags of three instances of two features with two runs, in a file."""
    folder = tmp_path_factory.mktemp("points")
    (folder / "bags.csv").write_text("\n".join(["bag,label,clip,x1,x2", *ROWS]))
    path = folder / "bags.ember"
    assert main(["import", str(path), str(folder / "bags.csv")]) == 0
    for method in ("pca", "mi-umap"):
        recipe = folder / "recipe.toml"
        recipe.write_text(f'method = "{method}"\n')
        assert main(["run", str(recipe), "--project", str(path)]) == 0
    return path


def of_frames(text, *, names=()):
    """Lines that speak of frames; columns keep their names."""
    return [line for line in text.splitlines()
            if OF_FRAMES.search(re.sub("|".join(names), "", line) if names else line)]


@pytest.mark.parametrize(
    "words", ["info", "evaluate --level bag", "labels --doubtful", "compare 1 2"]
)
def test_a_command_speaks_of_bags_and_instances(project, words, capsys):
    command, *rest = words.split()
    capsys.readouterr()
    assert main([command, str(project), *rest]) == 0
    assert of_frames(capsys.readouterr().out, names=[r"^ clip "]) == []


def test_the_report_speaks_of_bags_and_instances(project, tmp_path):
    assert main(["export", str(project), str(tmp_path), "--to", "html"]) == 0
    page = next(tmp_path.glob("*.html")).read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "\n", page, flags=re.DOTALL))
    assert of_frames(text) == []
    assert "6 bags of Target, 6 bags of Background." in text
