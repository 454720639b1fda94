"""A project on frames with a hot blob that tight boxes show."""

import numpy as np

from emberscope.labels import BACKGROUND, Box
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.sources import add_source


def project_with_blobs(path):
    """Twelve frames, written to `path`; on each a tight box on the blob and one on background."""
    frames = np.random.default_rng(0).normal(1000, 10, (12, 48, 64))
    for frame in range(12):
        frames[frame, 6:18, 8 + 2 * frame : 20 + 2 * frame] += 300
    np.save(path, frames.astype(np.uint16))
    project = Project()
    project.apply(add_source(project, path))
    (source,) = project.sources
    labels = []
    for frame in range(12):
        x = 8 + 2 * frame
        for kind, top in ((1, 6), (BACKGROUND, 30)):
            labels.append(Box(id=len(labels) + 1, source=source, frame=frame, class_id=kind, x0=x,
                              y0=top, x1=x + 12, y1=top + 12))
    project.apply(PutLabels(after=labels))
    return project
