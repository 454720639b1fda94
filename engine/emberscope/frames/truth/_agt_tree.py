"""Parser of the brace language of AGT files into a tree: tolerant, iterative, fast."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TOKEN = re.compile(r'"([^"\r\n]*)"?|([{}])|([^\s{}"]+)')
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WORD = re.compile(r"[A-Za-z_]\w*")
MAX_DEPTH = 100
# Words, numbers and braces of a file, each an object of its own; 1800 updates have 300 000
MAX_WORDS = 4_000_000

Scalar = int | float | str


@dataclass(slots=True)
class Node:
    """A container: its fields `word value*` and its containers, both in file order."""

    word: str
    fields: list[tuple[str, list[Scalar]]] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)

    def all(self, word: str) -> Iterator["Node"]:
        """Direct containers of that name, whatever its case."""
        return (child for child in self.children if child.word.lower() == word.lower())

    def values(self, word: str) -> Iterator[list[Scalar]]:
        """The values of every field of that name."""
        return (values for name, values in self.fields if name.lower() == word.lower())


def parse(text: str) -> tuple[Node, list[str]]:
    """The tree of a text, and what was odd about it. A string that is not closed ends with its
    line.

    Raises ValueError for nesting and for a length that no AGT file has.
    """
    root = Node("")
    stack, warnings = [root], []
    pending: str | None = None                # a word that may still turn out to open a container
    values: list[Scalar] = []
    lone = 0
    for count, token in enumerate(TOKEN.finditer(text)):
        if count == MAX_WORDS:
            raise ValueError(f"it holds more than {MAX_WORDS} words and numbers; split it")
        quoted, brace, bare = token.groups()
        if brace == "{":
            stack.append(_opened(stack[-1], pending))
            pending, values = None, []
            if len(stack) > MAX_DEPTH:
                raise ValueError(f"containers are nested more than {MAX_DEPTH} deep")
        elif brace == "}":
            pending, values = None, []
            if len(stack) > 1:
                stack.pop()
            else:
                lone += 1
        elif quoted is None and WORD.fullmatch(bare):
            pending, values = bare, []
            stack[-1].fields.append((bare, values))
        else:
            values.append(quoted if quoted is not None else _scalar(bare))
    if lone:
        many = f"{lone} closing braces have" if lone > 1 else "A closing brace has"
        warnings.append(f"{many} no opening one.")
    if len(stack) > 1:
        warnings.append(f"{len(stack) - 1} closing braces are missing at the end.")
    return root, warnings


def _opened(parent: Node, word: str | None) -> Node:
    """A new container in `parent`; the word before its brace was no field after all."""
    if word is not None and parent.fields and parent.fields[-1] == (word, []):
        parent.fields.pop()
    node = Node(word or "")
    parent.children.append(node)
    return node


def _scalar(token: str) -> Scalar:
    """A number where it is one; one that no float holds stays text."""
    if not NUMBER.fullmatch(token) or not math.isfinite(number := float(token)):
        return token
    return int(token) if number.is_integer() and token.lstrip("+-").isdigit() else number
