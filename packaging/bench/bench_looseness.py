"""What a loose label costs on real frames: cars of HIT-UAV against background; writes
build/hit_uav/report.html.

Frames: HIT-UAV (Suo et al., Scientific Data 10:227, 2023), CC BY 4.0; they are read where they lie,
never copied.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from emberscope.looseness import Chips, looseness_table, study
from emberscope.project import Project
from emberscope.project.exchange.sources import OpenSources, add_sources
from emberscope.project.exchange.truth import import_truth, truth_of
from emberscope.report.page import Report, write_html

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "ir" / "hit_uav"
RUNS = ("night_130m_30deg_09949-09977", "night_130m_50deg_07191-07223")
CREDIT = (
    "Frames: HIT-UAV, Suo et al. 2023, CC BY 4.0. Two night runs at 130 m, cars against background."
)


def rows() -> Iterator[tuple[str, float, str, str]]:
    if not DATA.is_dir():
        yield "no shared/data beside the checkout", 0.0, "", "skipped"
        return
    project = Project()
    operation, errors = add_sources(project, [DATA / run / "frames" for run in RUNS])
    if operation is None:
        raise errors[0]
    project.apply(operation)
    truth = {}
    for ref, run in zip(project.sources.values(), RUNS, strict=True):
        xml = DATA / run / "boxes_xml"
        truth[ref.id] = [t for t in truth_of(ref, xml) if t.name == "Car"]
        project.apply(import_truth(project, ref.id, xml, kind="relaxed", u=1, n_background=8))
    tables = []
    for d in (10, 2):
        start = time.perf_counter()
        with OpenSources(project) as sources:
            cells = study(truth, sources, d=d, chips=Chips(per_frame=10, n_background=10), block=5)
        for cell in cells:
            low, high = cell.found.interval
            name = f"u = {cell.u}, {cell.representation}, d = {cell.d or 'all'}, n = {cell.found.n}"
            yield (
                name,
                cell.found.accuracy,
                f"({low:.2f}-{high:.2f})",
                f"majority {cell.found.majority:.3f}",
            )
        yield f"whole table, d = {d}", time.perf_counter() - start, "s", ""
        tables.append(
            looseness_table(cells, title=f"What a loose label costs, {d} dimensions", where=CREDIT)
        )
    out = ROOT / "build" / "hit_uav"
    out.mkdir(parents=True, exist_ok=True)
    report = Report(title="Cars in HIT-UAV, loosely labeled", lead=CREDIT, tables=tables)
    (out / "report.html").write_text(write_html(project, report), encoding="utf-8")
