"""What a course of a project begins with."""

from collections.abc import Mapping

from emberscope.bags.make import MadeBags
from emberscope.course.background_checks import Cores
from emberscope.course.inputs import Inputs
from emberscope.course.labels import Labels
from emberscope.course.stage import Item
from emberscope.evaluate.held_out import Parts
from emberscope.labels.side_info import SideInfo
from emberscope.project.model.project import Run, SourceRef

SOURCES = Item[Mapping[int, SourceRef]]("sources")
INPUTS = Item[Inputs]("stores of features")
MADE = Item[MadeBags]("bags of a project")
LABELS = Item[Labels]("labels")
PARTS = Item[Parts | None]("bags that are held out")
MARKED = Item[SideInfo]("side information that persons gave")
PREVIOUS = Item[Run | None]("earlier run")
CORES = Item[Cores]("tight boxes of targets")
