"""How many concepts there are, from those that the gain curve suggests to those on show: every
place says it from here.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from emberscope.findings.concepts import TABLE, RunConcepts
from emberscope.project.model.concept_edits import DISTANCES
from emberscope.project.model.project import Run

_LEFT_OUT = re.compile(r"Of (\d+) concepts (\d+) stay: .+\.")  # a note of a run
_MERGED, _WEAK = (re.compile(rf"(\d+) {words}") for words in ("merged", "too weak"))


@dataclass(frozen=True, slots=True)
class ConceptCounts:
    """Counts that add up.

    suggested : by the gain curve. looked_for : places that the run began with; other than
    `suggested` where another number was asked for, or where there are fewer positive bags. merged,
    too_weak : of these, what the run left out.
    found : what it kept. split, merged_by_hand, dropped : what a person made of these. shown : what
    is in every view.
    tell_nothing : of the shown ones, those as likely in negative bags. positive_bags : how many
    there are; covered : how many of them hold a concept.

    Notes
    -----
    found = looked_for - merged - too_weak, and shown = found + split - merged_by_hand - dropped.
    """

    suggested: int
    looked_for: int
    merged: int
    too_weak: int
    found: int
    split: int
    merged_by_hand: int
    dropped: int
    shown: int
    tell_nothing: int
    positive_bags: int
    covered: int

    @property
    def words(self) -> str:
        """ "8 suggested and looked for, 7 too weak: 1 found and shown"."""
        same = self.suggested == self.looked_for
        first = f"{self.suggested} suggested{' and' if same else f', {self.looked_for}'} looked for"
        out = [
            first,
            *_some(self.merged, "merged with one that shares its bags"),
            *_some(self.too_weak, "too weak"),
        ]
        return f"{', '.join(out)}: {self._kept_words}"

    @property
    def sentence(self) -> str:
        """The words, and how many positive bags hold one of those shown."""
        bags = f"positive bag{'s' * (self.positive_bags != 1)}"
        return (
            f"{self.words}. {self.covered} of {self.positive_bags} {bags} "
            f"hold{'s' * (self.covered == 1)} one shown."
        )

    @property
    def _kept_words(self) -> str:
        by_hand = [
            *_some(self.split, "split in two"),
            *_some(self.merged_by_hand, "merged into another"),
            *_some(self.dropped, "dropped"),
        ]
        made = f", by hand {', '.join(by_hand)}: {self.shown}" if by_hand else " and"
        shown = f"{self.found} found{made}"
        silent = self.tell_nothing
        if not silent:
            return f"{shown} shown"
        if silent == self.shown:
            return f"{shown} shown, {'which tells' if silent == 1 else 'all of which tell'} nothing"
        return f"{shown} shown, of which {silent} tell{'s' * (silent == 1)} nothing"

    def to_dict(self) -> dict[str, int]:
        """For files and --json."""
        return asdict(self)


def counts_of(found: RunConcepts) -> ConceptCounts:
    """The counts of concepts as they are shown."""
    kept = int(found.source.diagnostics[DISTANCES].shape[1])
    merged, weak = _left_out(found.source, kept)
    parts = [part for concept in found.edits for part in concept.parts]
    halved = {k for k, half in parts if half}
    return ConceptCounts(
        suggested=found.suggested,
        looked_for=kept + merged + weak,
        merged=merged,
        too_weak=weak,
        found=kept,
        split=len(halved),
        merged_by_hand=len(parts) - len(found),
        dropped=kept + len(halved) - len(parts),
        shown=len(found),
        tell_nothing=int(np.count_nonzero(~found.tells)),
        positive_bags=int(np.count_nonzero(found.run.bag_labels > 0)),
        covered=found.covered,
    )


def concept_facts(found: RunConcepts) -> dict[str, Any]:
    """The concepts of a run as plain data: a record each, how many there are, where labels disagree
    with them."""
    rows = [dict(zip(TABLE, row, strict=True)) for row in found.table()]
    return {
        "concepts": rows,
        "concept_counts": counts_of(found).to_dict(),
        "disagreements": found.disagreements,
    }


def _left_out(run: Run, kept: int) -> tuple[int, int]:
    """How many concepts a run merged, and how many were too weak, as its notes say."""
    for note in run.notes:
        said = _LEFT_OUT.fullmatch(note)
        if said is not None and int(said[2]) == kept:
            merged, weak = (
                int(count[1]) if (count := pattern.search(note)) else 0
                for pattern in (_MERGED, _WEAK)
            )
            return merged, weak
    return 0, 0


def _some(count: int, what: str) -> list[str]:
    return [f"{count} {what}"] if count else []
