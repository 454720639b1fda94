"""The section of a report about what sets targets apart in a run."""

import html

from emberscope.findings.learned import Learned, learned_of
from emberscope.project.model.project import Run
from emberscope.report.drawing import run_name
from emberscope.report.table import Table, table_html

HEAD = ("Looks at", "Share", "Share of all features", "In targets", "Features that count most")
TEXT = (
    "Share of each group of features in the rules that ask features one by one, randomized trees "
    "and MIL-Boost; beside it the share of all features that belong to the group, which chance "
    "would give. Higher, lower: how targets differ."
)
RULES = ("Rule", "Weight in the score", "Rank correlation with the others")


def rule_rows(found: Learned) -> list[list[str]]:
    """A row of words per rule, under `RULES`."""
    return [[rule.title, f"{rule.weight:.0%}", f"{rule.agreement:.2f}"] for rule in found.rules]


def group_rows(found: Learned) -> list[list[str]]:
    """A row of words per group of features, under `HEAD`, the largest share first."""
    return [list(group.row()) for group in found.groups]


def learned_html(run: Run) -> str:
    """Groups of features, rules, and how many labels changed; "" of a run without scores."""
    found = learned_of(run)
    if found is None or not found.sentences:
        return ""
    title, note = f"What sets targets apart: {run_name(run)}", " ".join(found.sentences)
    if not found.groups:
        return f'<h2>{html.escape(title)}</h2><p class="note">{html.escape(note)}</p>'
    tables = (Table(title, HEAD, group_rows(found), text=TEXT, note=note),
              Table("The rules behind the score", RULES, rule_rows(found)))
    return "".join(table_html(table) for table in tables)
