"""Facts printed as a table for a person, or as JSON for a program."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from emberscope.console import complain, print_table, say

if TYPE_CHECKING:
    from emberscope.project import Project
    from emberscope.project.nouns import Nouns

_GROUPS = 8  # of features in a table
_DIFFERENCES = 20  # that are printed; JSON has all


class Noted(Protocol):
    """An answer with sentences that a person should know."""

    @property
    def notes(self) -> list[str]:
        """The sentences."""


def complain_of_changes(project: "Project", where: Path) -> None:
    """Say which sources of a project, which is at a path, are others than labels were drawn on."""
    from emberscope.project.exchange.sources import changed_note, changed_sources

    if note := changed_note(project, changed_sources(project)):
        complain(f"{where}: {note}")


def print_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print facts; for a person, the sentences under "notes" come after the table."""
    if as_json:
        print_json(facts)
        return
    print_table(
        ["what", "value"], [[key, _short(value)] for key, value in facts.items() if key != "notes"]
    )
    for note in facts.get("notes", ()):
        say(note)


def printed_json(found: Noted, *, as_json: bool) -> bool:
    """Print an answer as JSON where a program asks, and return whether one does; else print its
    notes for a person, before what the caller says of it."""
    from msgspec import to_builtins

    if as_json:
        print_json(to_builtins(found))
        return True
    for note in found.notes:
        complain(note)
    return False


def beside_split(words: dict[str, str], split: str, keys: Iterable[str]) -> dict[str, str]:
    """Numbers in words, by their titles; beside those of these keys how bags were held out."""
    from emberscope.findings.measures import named

    titles = {named(key) for key in keys}
    return {title: f"{value}, held out in {split}" if split and title in titles else value
            for title, value in words.items()}  # fmt: skip


def print_concepts(facts: dict[str, Any], *, of: str) -> None:
    """The concepts among the facts of a run: how many, a table of them, a line each, and how often
    labels disagree; nothing where there is none."""
    from emberscope.findings.concept_counts import ConceptCounts

    if rows := facts.get("concepts"):
        say(f"Concepts of {of}: {ConceptCounts(**facts['concept_counts']).sentence}")
        print_table(list(rows[0]), [list(row.values()) for row in rows])
        say(", ".join(f"{count} {what}" for what, count in facts["disagreements"].items()) + ".")


def print_records(records: list[dict[str, Any]]) -> None:
    """A line per record, numbers to three digits; nothing where there is none."""
    if records:
        print_table(list(records[0]), [
            [f"{value:.3g}" if isinstance(value, float | int) else value or ""
             for value in record.values()] for record in records
        ])  # fmt: skip


def print_learned(found: dict[str, Any] | None, *, of: str) -> None:
    """What the scores of a run went by: sentences, and a table of groups of features; nothing of a
    run without scores.
    """
    if found is None:
        return
    for words in found["words"]:
        say(words)
    if found["feature_groups"]:
        say(f"What sets targets apart in {of}:")
        print_table(["looks at", "share", "of features", "correlation", "most"], [
            [f"{group['family']}, {group['channel']}", f"{group['share']:.0%}",
             f"{group['share_of_features']:.0%}",
             "" if group["correlation"] is None else f"{group['correlation']:+.2f}",
             ", ".join(group["strongest"])]
            for group in found["feature_groups"][:_GROUPS]
        ])  # fmt: skip


def print_parts(records: list[dict[str, Any]], nouns: "Nouns", *, of: str) -> None:
    """The numbers of a run by clip and class; nothing where there is one of each."""
    from emberscope.findings.headline import part_head, part_rows

    rows, titles = part_rows(records, nouns), part_head(nouns)
    shown = [at for at in range(len(titles)) if any(row[at] for row in rows)]
    if rows:
        say(f"{of} by {nouns.clip} and class:")
        head = [titles[at].lower().replace("auc", "AUC") for at in shown]
        print_table(head, [[row[at] for at in shown] for row in rows])


def print_columns(rows: list[dict[str, Any]], nouns: "Nouns") -> None:
    """The columns of a project, a line each: of how many things each is known, and its values."""
    print_table(
        ["column", "kind", f"{nouns.clip}s", f"{nouns.frame}s", "labels", "values"],
        [[row["column"], row["kind"], str(row["clips"]), str(row["frames"]), str(row["labels"]),
          _values(row)] for row in rows],
    )


def _values(row: dict[str, Any]) -> str:
    """"980 to 2040 m"; "night 40, day 12"; of many the first, and how many more there are."""
    if row["range"] is not None:
        low, high = (f"{end:.6g}" for end in row["range"])
        return (
            f"{low} to {high} {row['unit']}".strip()
            if low != high
            else f"{low} {row['unit']}".strip()
        )
    counts = list((row["values"] or {}).items())
    more = [f"{len(counts) - _GROUPS} more"] if len(counts) > _GROUPS else []
    return ", ".join([*(f"{text} {count}" for text, count in counts[:_GROUPS]), *more])


def print_json(value: object) -> None:
    """Print plain data as one line of JSON; NaN and infinity, which JSON has not, become null."""
    print(json.dumps(_finite(value), default=str, allow_nan=False))


def _finite(value: object) -> object:
    """The same with null for NaN and infinity, which JSON has not."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _short(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "unknown"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_short(item) for item in value)
    return str(value)


def print_agreement(found: dict[str, Any]) -> None:
    """The table for people; frames count from 1, as in the window."""
    first, second = found["first"], found["second"]
    share = "none" if math.isnan(found["share"]) else f"{100 * found['share']:.0f} %"
    say(f"Labels of {first} and {second}: {share} of all objects are in both.")
    print_table(["class", "both", f"only {first}", f"only {second}", "other class"],
                [[str(value) for value in row.values()] for row in found["classes"]])
    words = {"only the first": f"only {first}", "only the second": f"only {second}"}
    for one in found["differences"][:_DIFFERENCES]:
        say(f"{one['source']}, frame {one['frame'] + 1}: {words.get(one['why'], one['why'])}")
    more = len(found["differences"]) - _DIFFERENCES
    if more > 0:
        say(f"and {more} more; --json has all.")
