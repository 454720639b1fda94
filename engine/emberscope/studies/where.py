"""Where cells are computed: here, by processes of this computer, or by the workers of a cluster."""

import logging
from dataclasses import dataclass, field

from emberscope.base.errors import WorkerError
from emberscope.base.monitor import Monitor
from emberscope.studies.cluster import fill_on, risk_of
from emberscope.studies.fill import Filled, Show, Work, fill
from emberscope.studies.workers import fill_with

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Where:
    """workers : processes of this computer. dask : address of a scheduler, or "local:N", "" for
    none. fall_back : go on here where the cluster is gone, or cannot be used. begin : the
    part of the cells that one process begins after, from 0 to 1, so that several that share a
    folder begin apart. notes : sentences on where cells were computed.
    """

    workers: int = 1
    dask: str = ""
    fall_back: bool = False
    begin: float = 0.0
    notes: list[str] = field(default_factory=list)

    def fill(self, work: Work, monitor: Monitor, show: Show) -> Filled:
        """Compute the cells that are not done. Raises WorkerError where a cluster cannot do it and
        nobody wants to go on here, and what `studies.fill` raises."""
        if self.dask:
            self._say(risk_of(self.dask))
            try:
                return fill_on(self.dask, work, monitor=monitor, show=show)
            except WorkerError as error:
                if not self.fall_back:
                    raise
                self._say(f"Cells are computed on this computer, without the cluster: {error}")
                self.dask = ""  # a second round does not wait for it again
        if self.workers > 1:
            return fill_with(self.workers, work, monitor=monitor, show=show)
        first = int(self.begin * len(work.cells))
        return fill(work, first=first, monitor=monitor, show=show)

    def _say(self, words: str) -> None:
        if words and words not in self.notes:
            self.notes.append(words)
            log.warning("%s", words)  # the window shows it at once
