"""Comments, docstrings, texts of the window and help pages use the terms of the glossary, one per
thing."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE, APP = ROOT / "engine" / "emberscope", ROOT / "app" / "emberscope_app"
HELP = ROOT / "resources" / "emberscope_resources" / "help"
TERMS = {
    r"[Pp]ictures?": "embedding, map or image",
    r"[Cc]ousins?": "the supervised or nonlinear method",
    r"[Cc]rew": "thread pool", r"[Ff]oret(?:old|ells?)": "predicted", r"[Gg]r[e]y": "gray",
    r"[Tt]old": "given, separated or known", r"[Bb]y wish": "on request",
}  # fmt: skip
# A folder of this name is no name for a clip; in tables of before
NAMES = {'"pictures"', '"picture-accuracy"'}
ROOMS = sorted(path.relative_to(ROOT).as_posix() for part in (ENGINE, APP)
               for path in part.iterdir()
               if path.suffix == ".py" or (path / "__init__.py").exists())  # fmt: skip
PAGES = sorted(path.relative_to(HELP).as_posix() for path in HELP.rglob("*.md"))


def private_words(source):
    """The words in comments and strings, braces of f-strings left out, that the glossary has a term
    for."""
    texts = [
        re.sub(r"\{[^}]*\}", "", token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type in (tokenize.COMMENT, tokenize.STRING) and token.string not in NAMES
    ]  # fmt: skip
    return [found for text in texts for found in in_text(text)]


def in_text(text):
    return [found for word in TERMS for found in re.findall(rf"\b{word}\b", text)]


@pytest.mark.parametrize(
    "source", ["# a cousin of LPP", 'say("the picture is ready")', '"""A crew of threads."""']
)
def test_a_private_word_is_seen(source):
    assert private_words(source)


def test_names_in_code_are_not_judged():
    assert not private_words('picture = draw(f"map {picture}")')


@pytest.mark.parametrize("room", ROOMS)
def test_the_words_of_a_room_are_those_of_the_glossary(room):
    paths = [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))
    assert not {
        str(path): found
        for path in paths
        if (found := private_words(path.read_text(encoding="utf-8")))
    }


def test_the_words_of_a_help_page_are_those_of_the_glossary():
    assert not {
        page: found
        for page in PAGES
        if (found := in_text((HELP / page).read_text(encoding="utf-8")))
    }
