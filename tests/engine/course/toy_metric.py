"""A metric learner as small as can be, and its row of the catalogue."""

import numpy as np

from emberscope import catalogue
from emberscope.base.embedder import Embedder
from emberscope.base.errors import MissingLabels
from emberscope.base.param import param
from emberscope.catalogue import Cost, Method

ROW = Method(
    id="toy-metric",
    title="Toy metric",
    family="side information",
    kind="embedding",
    needs="pairs",
    target="emberscope.metric.toy:ToyMetric",
    summary="",
    when="",
    cost=Cost(((0.5, 0.0, 0.0),), ((1.0, 0.0, 0.0),)),
    references=(),
    keeps="both",
    year=2025,
    linear=True,
    out_of_sample="exact",
)


class ToyMetric(Embedder):
    """Divides each feature by its spread between instances that are the same."""

    power: float = param(1.0, low=0, high=2, help="How much.")
    state = ("scale_", "pair_agreement_", "pair_agreement_interval_", "trained_pair_agreement_")
    seen = []  # the side information of every fit

    @property
    def reads_labels(self):
        return True

    def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
        X, _ = self._validate(X)
        if side is None:
            raise MissingLabels("pairs are needed")
        self.seen.append(side.checked(len(X)))
        alike = side.pairs[side.same]
        spread = (
            np.abs(X[alike[:, 0]] - X[alike[:, 1]]).mean(axis=0)
            if len(alike)
            else np.ones(X.shape[1])
        )
        self.scale_ = (1 / (spread + 1e-3)) ** self.power
        self.embedding_ = X * self.scale_.astype(X.dtype)
        self.pair_agreement_, self.trained_pair_agreement_ = 0.75, 0.9
        self.pair_agreement_interval_ = np.array([0.6, 0.85])
        self.notes_.append("75 % of held-out pairs agree.")
        return self

    def transform(self, X):
        return self._validate_new(X) * self.scale_.astype(X.dtype)


def put_into_catalogue(monkeypatch):
    """For one test, the toy metric is one of the methods."""
    ToyMetric.seen.clear()
    known = catalogue.load
    monkeypatch.setitem(catalogue._BY_ID, ROW.id, ROW)
    monkeypatch.setattr(catalogue, "METRICS", (ROW,))
    monkeypatch.setattr(catalogue, "load", lambda id: ToyMetric if id == ROW.id else known(id))
