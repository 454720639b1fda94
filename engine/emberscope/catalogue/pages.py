"""The page of a method: a text written for a person, between facts from the catalogue and the table
of its parameters.

The texts are resources (`help/methods/ID.md`); what the code knows is never copied into them. This
module imports no method: whoever shows a page gives the parameters, `load(id).params` or those that
the worker sent as data.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from importlib import resources

from emberscope.base.param import Param
from emberscope.catalogue import Method, method

# The sections of every text, in this order; the table of parameters goes before the fourth.
SECTIONS = ("Idea", "Equations", "What to set", "What to distrust", "References")
NOTATION = (
    "X has a row for each of N instances and a column for each of D features, Z a row of d "
    "coordinates; ' transposes, "
    "|x| is Euclidean length, I the identity, e a column of ones."
)
_CHIPS = (
    "Takes [distances of chips](side-information#changes-that-do-not-matter) in place of "
    "those of features"
)
_MEASURED = {
    "lengths": f"{_CHIPS}.",
    "neighbors": f"{_CHIPS} to say who is near; how neighbors lie to each other comes from the "
                 "features.",
    "embedding": f"{_CHIPS} for the embedding; the rules that look for targets in bags read the "
                 "features.",
}
_LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def page(id: str, params: Iterable[Param] | None) -> str:
    """The whole page of a method as Markdown: title, summary, when to take it, its text, and
    `params` as a table.

    params : None leaves the table out, while nobody knows them yet.

    Raises ParamError for an unknown id.
    """
    row, sections = method(id), text(id)
    if params is not None:
        after = f"## {SECTIONS[3]}\n"
        sections = sections.replace(
            after, f"## Parameters\n\n{parameter_table(params)}\n\n{after}", 1
        )
    sections = sections.replace("## Equations\n", f"## Equations\n\n{NOTATION}\n", 1)
    return (
        f"# {row.title}\n\n{row.summary}\n\n**When.** "
        f"{row.when}\n\n{distances_taken(row)}{sections}"
    )


def distances_taken(row: Method) -> str:
    """A paragraph of Markdown about the distances of chips that a method takes; "" where it takes
    none."""
    return f"**Distances.** {_MEASURED[row.measured]}\n\n" if row.measured else ""


def text(id: str) -> str:
    """What is written about a method, Markdown with the headings of `SECTIONS`. Raises ParamError
    for an unknown id."""
    file = resources.files("emberscope_resources") / "help" / "methods" / f"{method(id).id}.md"
    return file.read_text(encoding="utf-8")


def plain(markdown: str, *, width: int = 88) -> str:
    """Markdown for a terminal of `width` columns: no marks and no targets of links, paragraphs
    wrapped, equations as they are, indented."""
    out, inside = [], False
    for line in markdown.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif inside:
            out.append(f"    {line}")
        else:
            bare = _LINK.sub(r"\1", line).replace("**", "").replace("`", "").removeprefix("## ")
            out.append(textwrap.fill(bare, width, break_on_hyphens=False))
    return "\n".join(out)


def parameter_table(params: Iterable[Param]) -> str:
    """A Markdown table of parameters: name, default, range, meaning."""
    return table(("parameter", "default", "range", "meaning"), map(_parameter_row, params))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _parameter_row(param: Param) -> list[str]:
    name = f"`{param.name}`" + (" *advanced*" if param.advanced else "")
    unit = f", {param.unit}" if param.unit else ""
    only = f" Only with {param.when[0]} = {param.when[1]}." if param.when else ""
    tried = (
        f" Values to try: {', '.join(str(value) for value in param.grid)}." if param.grid else ""
    )
    return [
        name,
        _default(param),
        param.range_text + unit,
        f"{param.label}. {param.help}{only}{tried}",
    ]


def _default(param: Param) -> str:
    if param.default is None:
        return f"auto: {param.auto}"
    if isinstance(param.default, bool):
        return "on" if param.default else "off"
    return f"{param.default:g}" if isinstance(param.default, float) else str(param.default)
