"""The notes of a run with their weight: which number each spoils, and what does what it advises."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from emberscope.project.model.project import Run
from emberscope.project.nouns import OF_FRAMES, Nouns, nouns_of_run

Weight = Literal["decisive", "warning", "remark"]
WEIGHTS: tuple[Weight, ...] = ("decisive", "warning", "remark")  # the heaviest first
AUC, FOUND, TRUST, JUDGED = "method_bag_auc", "witness_found", "trustworthiness", "bag_auc"
_TRUE_ENOUGH = 0.8  # share of witnesses found from which on truth denies that they are often ground
_LEAST = 5          # bags with truth that can deny anything

# What does what a note advises: id of an action of the window -> title of its button.
ACTIONS = {
    "label.background": "Label background",
    "label.boxes": "Draw boxes closer",
    "label.more": "Label another frame",
    "run.patches": "Choose patches",
    "run.measure": "Measure",
    "run.methods": "Choose a method",
    "run.settings": "Change its settings",
    "side.show": "Look at pairs",
    "bags.show": "Look at bags",
    "run.by-clip": "Hold out whole clips",
    "view.by-clip": "Color by clip",
    "view.by-frame": "Color by frame",
    "view.label": "Look at the labels",
}
# Those that have nothing to do where there are no frames
_OF_FRAMES = frozenset({"label.boxes", "label.background", "label.more", "run.patches",
                        "run.by-clip", "view.by-clip", "view.by-frame"})
# A clause that tells a person to do something: at its beginning, or after a comma, colon,
# semicolon, "and" or "or".
_BEGIN = r"(?:^|[.:;,] |\b(?:and|or) )"
_ADVICE = re.compile(
    rf"{_BEGIN}(?:raise|lower|allow|ask for|try|choose|take|give|scale|set|draw|label|mark|look "
    r"at) ",
    re.IGNORECASE,
)
_ABOUT_LABELS = re.compile(rf"{_BEGIN}(?:draw|label|mark) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of a run.

    id : of its kind, the same in every run and version. spoils : the number that it makes doubtful,
    which it stands beside; "" for none. short : the note in a few words, for there. actions : keys
    of `ACTIONS`, which do what it advises.
    """

    id: str
    weight: Weight
    text: str
    spoils: str = ""
    short: str = ""
    actions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For files and --json."""
        return {
            "id": self.id,
            "weight": self.weight,
            "text": self.text,
            "spoils": self.spoils or None,
            "action": next(iter(self.actions), None),
            "actions": list(self.actions),
        }


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of note: its sentences are those that a pattern is found in. short : filled in with
    metrics.
    """

    id: str
    weight: Weight
    pattern: str
    spoils: str = ""
    short: str = ""
    actions: tuple[str, ...] = ()


_KINDS = (
    _Kind(
        "background-tells",
        "decisive",
        r"background alone tells the bags apart",
        AUC,
        "background alone {bag_auc_without_targets:.2f}",
        ("label.background",),
    ),
    _Kind(
        "places-tell",
        "decisive",
        r"^Placebo: .*places alone may tell",
        AUC,
        "placebo {placebo_auc:.2f}",
        ("label.background",),
    ),
    _Kind(
        "size-tells",
        "decisive",
        r"^Positive and negative bags differ in size",
        AUC,
        "size of bags alone tells them",
        ("label.background",),
    ),
    _Kind(
        "all-alike",
        "decisive",
        r"instances look exactly alike",
        AUC,
        "most instances look alike",
        ("view.label",),
    ),
    _Kind(
        "file-changed",
        "warning",
        r"changed since (it was|they were) added",
        AUC,
        "labels of another file",
        ("view.label",),
    ),
    _Kind(
        "may-be-chance",
        "decisive",
        r"^The bags may be separated no better than by chance",
        JUDGED,
        "classifier may be chance",
        ("label.more",),
    ),
    _Kind(
        "choice-may-be-chance",
        "warning",
        r"^That may be chance\.",
        AUC,
        "may be chance",
        ("label.more",),
    ),
    _Kind(
        "chosen-by-trial",
        "warning",
        r"^This recipe was chosen by held-out bags",
        AUC,
        "recipe chosen by held-out bags",
        ("label.more",),
    ),
    _Kind(
        "rules-about-ground",
        "decisive",
        r"^The rules agreed about ground",
        FOUND,
        "witness often ground",
        ("label.boxes", "label.background"),
    ),
    _Kind(
        "rules-agree-little",
        "warning",
        r"^The rules agree little",
        FOUND,
        "rules agree little",
        ("label.boxes", "label.more"),
    ),
    _Kind(
        "ground-unlike",
        "decisive",
        r"^Ground in positive bags is unlike",
        AUC,
        "ground unlike background",
        ("label.background",),
    ),
    _Kind(
        "targets-missed",
        "warning",
        r"^In \d+ of \d+ positive bags? no patch",
        FOUND,
        "{bags_missed:.0f} targets without a patch",
        ("run.patches",),
    ),
    _Kind(
        "targets-missed",
        "warning",
        r"^In \d+ of \d+ positive bags? the best patch",
        FOUND,
        "{bags_cut:.0f} targets cut by patches",
        ("run.patches",),
    ),
    _Kind("patches-cut", "warning", r"^Patches of \d+ px do not fit", actions=("run.patches",)),
    _Kind(
        "too-long",
        "warning",
        r"^Bags are not held out: the method would have to be fitted",
        AUC,
        "not measured",
        ("run.measure",),
    ),
    _Kind(
        "not-held-out", "warning", r"^Bags are not held out", AUC, "not measured", ("label.more",)
    ),
    _Kind(
        "clips-on-both-sides",
        "warning",
        r"^Frames of one clip are on both sides of the split",
        AUC,
        "clips on both sides",
        ("run.by-clip",),
    ),
    _Kind(
        "network-taught",
        "warning",
        r"^The network of the features was tuned with labels of",
        AUC,
        "proves nothing",
        ("run.settings",),
    ),
    _Kind(
        "class-untaught",
        "warning",
        r"of targets (is|are) held out as a whole: nothing teaches",
        AUC,
        actions=("label.more",),
    ),
    _Kind(
        "no-verdict", "warning", r"^No classification of bags", JUDGED, "no result", ("label.more",)
    ),
    _Kind(
        "no-faithfulness", "warning", r"^No faithfulness", TRUST, "not measured", ("label.more",)
    ),
    _Kind(
        "no-spread",
        "remark",
        r"^No spread between fits: .*would take",
        "spread",
        "not measured",
        ("run.measure",),
    ),
    _Kind("no-spread", "remark", r"^No spread between fits", "spread"),
    _Kind("conflicts", "warning", r"lies? in positive and negative bags", actions=("bags.show",)),
    _Kind(
        "few-folds",
        "warning",
        r"^(There are too few separate bags|Labels are imputed over)",
        actions=("label.more",),
    ),
    _Kind("not-tried", "remark", r"not tried: time was up"),
    _Kind(
        "labels-left-out",
        "warning",
        r"^(Source or frame is not there|Outside the frame|Wholly ignored|Complete, but)",
        actions=("bags.show",),
    ),
    _Kind(
        "less-background",
        "warning",
        r"^Less free background than asked for",
        actions=("label.background",),
    ),
    _Kind("side-left-out", "warning", r"of side information left out", actions=("side.show",)),
    _Kind("pairs-contradict", "warning", r"pairs contradict", actions=("side.show",)),
    _Kind(
        "short-circuits",
        "warning",
        r"seem to jump between folds",
        TRUST,
        "{short_circuits:.0f} short circuits",
        ("run.settings",),
    ),
    _Kind("axis-of-few", "warning", r"carried by less than", actions=("run.methods",)),
    _Kind(
        "shows-places",
        "warning",
        r"^(Axis \d+ is the place|The map splits by place)",
        actions=("view.by-clip", "view.by-frame"),
    ),
    _Kind(
        "concepts-tell-nothing",
        "warning",
        r"^No concept is much likelier",
        actions=("label.more", "run.patches"),
    ),
    _Kind("metric-is-chance", "warning", r"^No better than chance: ", actions=("side.show",)),
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
_NUMBER = re.compile(r" ?\{[^}]*\} ?")


def weighed(
    sentences: Iterable[str], metrics: Mapping[str, float], nouns: Nouns = OF_FRAMES
) -> list[Note]:
    """Sentences as notes, each once, the heaviest first, in their order otherwise. nouns : the
    words for what the run was made of; of point sets no action that needs frames is there.

    What truth denies is left out: that the witness is often ground, where it is a target in most
    bags that are judged.
    """
    notes = [_in_words(_note(text, metrics), nouns) for text in dict.fromkeys(sentences)]
    known = metrics.get("witness_found_bags", 0) >= _LEAST and metrics.get(
        "witness_found", 0.0
    ) >= max(_TRUE_ENOUGH, metrics.get("witness_found_chance", 0.0))
    kept = [
        note
        for note in notes
        if not (known and note.id in ("rules-about-ground", "rules-agree-little"))
    ]
    return sorted(kept, key=lambda note: WEIGHTS.index(note.weight))


def notes_of(run: Run) -> list[Note]:
    """The notes of a run, the heaviest first."""
    return weighed(run.notes, run.metrics, nouns_of_run(run))


def beside(run: Run, key: str) -> list[Note]:
    """The notes that stand beside a number: those with a few words for it that weigh more than a
    remark."""
    return [
        note
        for note in notes_of(run)
        if note.spoils == key and note.short and note.weight != "remark"
    ]


def heaviest(notes: Iterable[Note]) -> list[Note]:
    """All decisive ones; where none is, the first of the others."""
    found = list(notes)
    return [note for note in found if note.weight == "decisive"] or found[:1]


def without_number(run: Run, shown: Collection[str]) -> list[Note]:
    """Decisive notes whose number is not among those shown, so that they have to stand by
    themselves."""
    return [
        note
        for note in notes_of(run)
        if note.weight == "decisive" and note.short and note.spoils not in shown
    ]


def _note(text: str, metrics: Mapping[str, float]) -> Note:
    kind = next((kind for kind, pattern in _PATTERNS if pattern.search(text)), _OTHER)
    try:
        short = kind.short.format(**metrics)
    except KeyError:  # of an older version, which did not keep the number
        short = _NUMBER.sub(" ", kind.short).strip()
    return Note(kind.id, kind.weight, text, kind.spoils, short, kind.actions or _advised(text))


def _in_words(note: Note, nouns: Nouns) -> Note:
    if nouns is OF_FRAMES:
        return note
    actions = tuple(action for action in note.actions if action not in _OF_FRAMES)
    return replace(note, text=nouns.say(note.text), short=nouns.say(note.short), actions=actions)


def _advised(text: str) -> tuple[str, ...]:
    """What does what a sentence advises that has no kind of its own, or a kind without advice."""
    if not _ADVICE.search(text):
        return ()
    return ("label.more",) if _ABOUT_LABELS.search(text) else ("run.settings",)
