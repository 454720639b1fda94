"""Detections as declarations for scorers of automatic target recognition, and as label layers."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from emberscope.base.files import written_whole
from emberscope.labels import Box, Label
from emberscope.labels.formats.items import plain_number, side
from emberscope.labels.jsonl import LabelSource, write_jsonl
from emberscope.labels.model import label_of_run
from emberscope.project.exchange.label_file import label_source
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import Scoring, likely

_LEAST = 0.5  # score from which on a detection is suggested as a label


class _Shape(msgspec.Struct, frozen=True):
    data: list[float]
    type: str = "bbox_xywh"


class _Declaration(msgspec.Struct, frozen=True, omit_defaults=True, rename={"name": "class"}):
    name: str
    confidence: float
    shape: _Shape
    probability: float | None = None


class _Frame(msgspec.Struct, frozen=True):
    declarations: list[_Declaration] = []


class _Declarations(msgspec.Struct, frozen=True):
    fileUID: str
    frameDeclarations: dict[str, _Frame]
    source: str


def write_declarations(scoring: Scoring, ref: SourceRef, path: Path) -> None:
    """Write a file of one clip, as `labels.formats.atr` writes its truth: frames count from 1, and
    so do pixels. Confidence is the score. Raises OSError."""
    names = {info.id: info.name for info in scoring.project.classes.values()}
    rule = scoring.rule_on(ref)
    frames = dict[str, _Frame]()
    for block in scoring.blocks(ref):
        found, chance = block.found, likely(rule, block.found)
        frames |= {f"f{number + 1}": _Frame([]) for number in block.frames.tolist()}
        for row in range(len(found)):
            x0, y0, x1, y1 = found.box[row].tolist()
            data = [plain_number(v) for v in (x0 + 1, y0 + 1, side(x0, x1), side(y0, y1))]
            kind = int(found.kind[row])
            frames[f"f{found.frame[row] + 1}"].declarations.append(_Declaration(
                names.get(kind, str(kind)), round(float(found.score[row]), 6), _Shape(data),
                round(float(chance[row, 0]), 6) if len(chance) else None,
            ))  # fmt: skip
    text = msgspec.json.encode(_Declarations(ref.name, frames, "emberscope"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        part.write_bytes(msgspec.json.format(text, indent=1))


def write_labels(
    scoring: Scoring, clips: Sequence[SourceRef], path: Path,
    others: tuple[Sequence[LabelSource], Sequence[Label]] = ((), ()),
) -> None:
    """Write what scores 0.5 or more as labels of a detector, which a project imports as
    suggestions. others : clips and labels that come before, numbered from 1. Raises OSError."""
    sources, before = others
    write_jsonl(path, chain(before, _labels(scoring, clips, len(before))),
                classes=scoring.project.classes.values(),
                sources=[*sources, *(label_source(ref) for ref in clips)])


def _labels(scoring: Scoring, clips: Sequence[SourceRef], number: int) -> Iterator[Box]:
    for ref in clips:
        for block in scoring.blocks(ref):
            found = block.found
            for row in range(len(found)):
                if found.score[row] < _LEAST:
                    continue
                number += 1
                yield label_of_run(
                    scoring.run.id, number, source=ref.id, frame=int(found.frame[row]),
                    class_id=int(found.kind[row]), corners=found.box[row].tolist())
