"""The notes of a run with their weight: which number each spoils, and what does what it advises."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from emberscope.project.model.project import Run

Weight = Literal["decisive", "warning", "remark"]
WEIGHTS: tuple[Weight, ...] = ("decisive", "warning", "remark")  # the heaviest first
AUC, FOUND, TRUST, JUDGED = "method_bag_auc", "witness_found", "trustworthiness", "bag_auc"
_TRUE_ENOUGH = 0.8  # share of witnesses found from which on truth denies that they are often ground
_LEAST = 5          # bags with truth that can deny anything

# What does what a note advises: id of an action of the window -> title of its button.
ACTIONS = {
    "label.background": "Label background", "label.boxes": "Draw boxes closer", "label.more": "Label another frame",
    "run.patches": "Choose patches", "run.measure": "Measure", "run.methods": "Choose a method",
    "side.show": "Look at pairs", "bags.show": "Look at bags",
}


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of a run.

    id : of its kind, the same in every run and version. spoils : the number that it makes doubtful, which it stands
    beside; "" for none. short : the note in a few words, for there. action : a key of `ACTIONS`, "" for none.
    """

    id: str
    weight: Weight
    text: str
    spoils: str = ""
    short: str = ""
    action: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For files and --json."""
        return {"id": self.id, "weight": self.weight, "text": self.text, "spoils": self.spoils or None,
                "action": self.action or None}


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of note: its sentences are those that a pattern is found in. short : filled in with metrics.
    """

    id: str
    weight: Weight
    pattern: str
    spoils: str = ""
    short: str = ""
    action: str = ""


_KINDS = (
    _Kind("background-tells", "decisive", r"background alone tells the bags apart", AUC,
          "background alone {bag_auc_without_targets:.2f}", "label.background"),
    _Kind("places-tell", "decisive", r"^Placebo: .*places alone may tell", AUC, "placebo {placebo_auc:.2f}",
          "label.background"),
    _Kind("size-tells", "decisive", r"^Positive and negative bags differ in size", AUC, "size of bags alone tells them",
          "label.background"),
    _Kind("all-alike", "decisive", r"instances look exactly alike", AUC, "most instances look alike"),
    _Kind("may-be-chance", "decisive", r"^The bags may be separated no better than by chance", JUDGED,
          "may be chance", "label.more"),
    _Kind("choice-may-be-chance", "warning", r"^That may be chance\.", AUC, "may be chance", "label.more"),
    _Kind("chosen-by-trial", "warning", r"^This recipe was chosen by held-out bags", AUC,
          "recipe chosen by held-out bags"),
    _Kind("rules-about-ground", "decisive", r"^The rules agreed about ground", FOUND, "often ground", "label.boxes"),
    _Kind("rules-agree-little", "warning", r"^The rules agree little", FOUND, "rules agree little", "label.boxes"),
    _Kind("ground-unlike", "warning", r"^Ground in positive bags is unlike", AUC, "ground unlike background",
          "label.background"),
    _Kind("targets-missed", "warning", r"^In \d+ of \d+ positive bags? (no patch|the best patch)", FOUND,
          "{bags_missed:.0f} targets without a patch", "run.patches"),
    _Kind("patches-cut", "warning", r"^Patches of \d+ px do not fit", action="run.patches"),
    _Kind("too-long", "warning", r"^Bags are not held out: the method would have to be fitted", AUC, "not measured",
          "run.measure"),
    _Kind("not-held-out", "warning", r"^Bags are not held out", AUC, "not measured", "label.more"),
    _Kind("clips-on-both-sides", "warning", r"^Frames of one clip are on both sides of the split", AUC,
          "clips on both sides"),
    _Kind("class-untaught", "warning", r"of targets (is|are) held out as a whole: nothing teaches", AUC),
    _Kind("no-verdict", "warning", r"^No classification of bags", JUDGED, "no result", "label.more"),
    _Kind("no-faithfulness", "warning", r"^No faithfulness", TRUST, "not measured"),
    _Kind("no-spread", "remark", r"^No spread between fits: .*would take", "spread", "not measured", "run.measure"),
    _Kind("no-spread", "remark", r"^No spread between fits", "spread"),
    _Kind("conflicts", "warning", r"lies? in positive and negative bags", action="bags.show"),
    _Kind("few-folds", "warning", r"^(There are too few separate bags|Labels are imputed over)", action="label.more"),
    _Kind("not-tried", "remark", r"not tried: time was up"),
    _Kind("labels-left-out", "warning",
          r"^(Source or frame is not there|Outside the frame|Wholly ignored|Complete, but)"),
    _Kind("less-background", "warning", r"^Less free background than asked for", action="label.background"),
    _Kind("side-left-out", "warning", r"of side information left out", action="side.show"),
    _Kind("pairs-contradict", "warning", r"pairs contradict", action="side.show"),
    _Kind("short-circuits", "warning", r"seem to jump between folds", TRUST, "{short_circuits:.0f} short circuits"),
    _Kind("axis-of-few", "warning", r"carried by less than", action="run.methods"),
    _Kind("shows-places", "warning", r"^(Axis \d+ is the place|The map splits by place)"),
    _Kind("no-ceiling", "remark", r"^No ceiling"),
    _Kind("targets-tell", "remark", r"it rests on the targets\.$"),
    _Kind("places-tell-nothing", "remark", r"^Placebo: .*places do not give the labels away"),
    _Kind("rests-not-asked", "remark", r"^What the bag AUC rests on cannot be asked"),
    _Kind("dimensions", "remark", r"^Locally the data have about"),
    _Kind("spectrum", "remark", r"^(The spectrum falls most|Axes \d+ and \d+ are interchangeable)"),
    _Kind("copies", "remark", r"exact copies of others"),
    _Kind("went-on", "remark", r"^It went on from the embedding of run"),
    _Kind("chosen", "remark", r", chosen inside the training folds: "),
)
_PATTERNS = tuple((kind, re.compile(kind.pattern)) for kind in _KINDS)
UNKNOWN = "of-method"  # the id of sentences that nobody described
_OTHER = _Kind(UNKNOWN, "remark", "")


def weighed(sentences: Iterable[str], metrics: Mapping[str, float]) -> list[Note]:
    """Sentences as notes, each once, the heaviest first, in their order otherwise.

    What truth denies is left out: that the witness is often ground, where it is a target in most bags that are judged.
    """
    notes = [_note(text, metrics) for text in dict.fromkeys(sentences)]
    known = metrics.get("witness_found_bags", 0) >= _LEAST and metrics.get("witness_found", 0.0) >= _TRUE_ENOUGH
    kept = [note for note in notes if not (known and note.id in ("rules-about-ground", "rules-agree-little"))]
    return sorted(kept, key=lambda note: WEIGHTS.index(note.weight))


def notes_of(run: Run) -> list[Note]:
    """The notes of a run, the heaviest first."""
    return weighed(run.notes, run.metrics)


def beside(run: Run, key: str) -> list[Note]:
    """The notes that stand beside a number: those with a few words for it that weigh more than a remark."""
    return [note for note in notes_of(run) if note.spoils == key and note.short and note.weight != "remark"]


def _note(text: str, metrics: Mapping[str, float]) -> Note:
    kind = next((kind for kind, pattern in _PATTERNS if pattern.search(text)), _OTHER)
    try:
        short = kind.short.format(**metrics)
    except KeyError:  # of an older version, which did not keep the number
        short = ""
    return Note(kind.id, kind.weight, text, kind.spoils, short, kind.action)
