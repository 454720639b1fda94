"""The target concepts of a run, one a row: name, how much of the positive bags it covers, and in
how many it is."""

from dataclasses import dataclass, replace

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.concepts import RunConcepts, contrast_words
from emberscope.project import Project
from emberscope_app.lists.cells import REST, RIGHT, Bar, Ground, Row, Star, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.words import counted, spaced

_NAME = 130  # px of the sign and the name of a concept


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """number : from 0, of its color."""

    number: int
    name: str
    coverage: float
    contrast: float
    bags: int
    tells: bool

    @property
    def words(self) -> str:
        tells = "" if self.tells else ", tells nothing"
        return (
            f"{self.name}, coverage {self.coverage:.2f}, contrast {contrast_words(self.contrast)}, "
            f"{counted(self.bags, 'bag')}{tells}"
        )


def concept_rows(project: Project, found: RunConcepts) -> list[ConceptRow]:
    """A row per concept, the strongest first."""
    return [ConceptRow(found.numbers[k], concept_name(project, found, k), float(found.coverage[k]),
                       float(found.contrast[k]), len(found.bags(k)),
                       bool(found.tells[k]))
            for k in range(len(found))]


class ConceptTable(RowStack):
    """Rows under their headings; a click asks for the concept of a row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ConceptRow] = []

    def show_rows(self, rows: list[ConceptRow]) -> None:
        self.rows = rows
        self.setAccessibleName("; ".join(row.words for row in rows))
        self.fit()

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        small = Words("Coverage", px=tokens.PX_SMALL, color="t2")
        rest = replace(small, text="", wide=REST)
        contrast = replace(small, text="Contrast", align=RIGHT, wide=62)
        bags = replace(contrast, text="Bags", wide=68)
        head = Row((line(replace(small, before=_NAME), rest, contrast, bags, left=0, right=0),))
        return [
            (head, tokens.ROW),
            *((self._row(k, row), tokens.ROW) for k, row in enumerate(self.rows)),
        ]

    def _row(self, k: int, row: ConceptRow) -> Row:
        color = concept_color(row.number, current().name)
        ground = Ground(color="bg3" if k == self.over else "", rule=0, above=True)
        return Row((line(
            Star(color, row.tells, wide=14),
            Words(row.name, weight=500, whole_start=True, wide=104, before=6),
            Bar(row.coverage, color, wide=REST, before=_NAME - 124),
            Words(f"{row.coverage:.2f}", wide=36, before=8),
            Words(contrast_words(row.contrast), weight=500, align=RIGHT, wide=62, before=16),
            Words(spaced(row.bags), weight=500, align=RIGHT, wide=68), left=0, right=0,
        ),), ground, does=k)  # fmt: skip
