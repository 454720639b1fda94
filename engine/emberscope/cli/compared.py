"""Where labels of two origins agree, as `emberscope info --compare` says it."""

import math
from pathlib import Path
from typing import Any

from emberscope.console import print_table, say

_SHOWN = 20  # differences that are printed; JSON has all


def agreement_of(path: Path, first: str, second: str) -> dict[str, Any]:
    """The table of a project for labels of two origins, and the list of differences. Raises
    ProjectError."""
    from emberscope.labels.agreement import agreement, by_class
    from emberscope.labels.origins import WORDS, code_of
    from emberscope.project.store.file import load

    project = load(path)
    sets = [
        [label for label in project.labels if WORDS[code_of(label.origin)] == word]
        for word in (first, second)
    ]
    found = agreement(*sets)
    names = {key: target.name for key, target in project.classes.items()}
    sources = {key: ref.name for key, ref in project.sources.items()}
    rows = [
        {
            "class": names.get(row.class_id, "unknown"),
            "both": row.both,
            "only_first": row.only_a,
            "only_second": row.only_b,
            "other_class": row.mixed,
        }
        for row in by_class(found)
    ]
    differences = [{"source": sources.get(one.source, ""), "frame": one.frame, "why": one.why,
                    "first": one.a.id if one.a else None, "second": one.b.id if one.b else None}
                   for one in found.differences]
    return {
        "first": first,
        "second": second,
        "share": found.share,
        "classes": rows,
        "differences": differences,
    }


def print_agreement(found: dict[str, Any]) -> None:
    """The table for people; frames count from 1, as in the window."""
    first, second = found["first"], found["second"]
    share = "none" if math.isnan(found["share"]) else f"{100 * found['share']:.0f} %"
    say(f"Labels of {first} and {second}: {share} of all objects are in both.")
    print_table(["class", "both", f"only {first}", f"only {second}", "other class"],
                [[str(value) for value in row.values()] for row in found["classes"]])
    words = {"only the first": f"only {first}", "only the second": f"only {second}"}
    for one in found["differences"][:_SHOWN]:
        say(f"{one['source']}, frame {one['frame'] + 1}: {words.get(one['why'], one['why'])}")
    more = len(found["differences"]) - _SHOWN
    if more > 0:
        say(f"and {more} more; --json has all.")
