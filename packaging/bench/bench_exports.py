"""Exports of labels: how many of generated projects come back as they were, each in one of the
formats by turns.

EMBERSCOPE_PROJECTS says how many projects there are, EMBERSCOPE_SEED which is the first.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from emberscope.labels.formats.table import FORMATS

Row = tuple[str, float, str, str]
TESTS = Path(__file__).resolve().parents[2] / "tests" / "engine" / "project"


def rows() -> Iterator[Row]:
    sys.path.insert(0, str(TESTS))
    from label_projects import content, project_of, there_and_back

    first, count = (
        int(os.environ.get("EMBERSCOPE_SEED", "0")),
        int(os.environ.get("EMBERSCOPE_PROJECTS", "10000")),
    )
    wrong: dict[str, list[int]] = {form: [] for form in FORMATS}
    labels, begin = 0, time.perf_counter()
    for seed in range(first, first + count):
        form = list(FORMATS)[seed % len(FORMATS)]
        with tempfile.TemporaryDirectory() as folder:
            project = project_of(Path(folder), seed)
            labels += len(project.labels)
            again, notes = there_and_back(project, Path(folder) / "out", form)
            if content(again) != content(project) or notes:
                wrong[form].append(seed)
    yield f"labels of {count} projects, out and back", labels, "labels", ""
    for form, seeds in wrong.items():
        first_wrong = f", the first is {seeds[0]}" if seeds else ""
        yield (
            f"{form}: projects that did not come back as they were",
            len(seeds),
            "projects",
            f"0{first_wrong}",
        )
    yield "one project, out and back", 1000 * (time.perf_counter() - begin) / count, "ms", ""
