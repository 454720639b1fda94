"""Neighbors before and after a metric, impostors and triplets of a run."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import MissingLabels
from emberscope.labels.side_info import Pair
from emberscope.metric.triplet_rows import HARD
from emberscope.pipeline import run
from emberscope.pipeline.neighborhoods import neighborhoods
from emberscope.project import PutSide

from .conftest import RECIPE

INFORMED = msgspec.structs.replace(RECIPE, metric="lmnn", metric_params={"n_iter": 5})


@pytest.fixture
def found(project, cache):
    made = run(project, INFORMED, cache=cache)
    return made, neighborhoods(project, made, cache=cache)


def test_every_instance_has_neighbors_before_and_after(found):
    made, view = found
    assert view.before.shape == view.after.shape == (len(made.ids), 8)
    assert (view.before != np.arange(len(made.ids))[:, None]).all()
    assert view.space == "LMNN"


def test_kinds_are_those_that_labels_say(found):
    made, view = found
    negative = made.members[np.repeat(made.bag_labels < 0, np.diff(made.indptr))]
    assert (view.kind[negative] == -1).all()
    assert (view.kind == 1).any()


def test_impostors_are_counted_of_instances_of_known_kind(found):
    _, view = found
    assert ((view.impostors[:, 0] >= 0) == (view.kind != 0)).all()


def test_triplets_are_of_known_kinds(found):
    _, view = found
    kind = view.kind[view.triplets.rows]
    assert len(view.triplets)
    assert (kind[:, 0] == kind[:, 1]).all()
    assert (kind[:, 0] == -kind[:, 2]).all()
    assert ((view.triplets.hardness == HARD) == (view.triplets.far <= view.triplets.near)).all()


def test_chips_of_triplets_have_edges(found):
    _, view = found
    assert view.edges_of.tolist() == np.unique(view.triplets.rows).tolist()
    assert view.edges.shape == (len(view.edges_of), len(view.edge_names))


def test_without_sources_there_are_lists_without_edges(project, cache, tmp_path, found):
    (tmp_path / "frames.npy").unlink()
    view = neighborhoods(project, found[0], cache=cache)
    assert len(view.triplets)
    assert not len(view.edges)


def test_a_run_without_a_metric_is_compared_with_its_map(project, cache):
    view = neighborhoods(project, run(project, RECIPE, cache=cache), cache=cache)
    assert view.space == "PCA"


def test_the_margin_is_that_of_the_metric(project, cache):
    triplet = {"method": "triplet", "params": {"margin": 2.5, "n_epochs": 1}}
    made = run(project, msgspec.structs.replace(RECIPE, **triplet), cache=cache)
    assert neighborhoods(project, made, cache=cache).margin == 2.5


def test_marked_pairs_make_triplets_too(project, cache):
    a, b, c = run(project, INFORMED, cache=cache).ids[[0, 1, 2]].tolist()
    project.apply(
        PutSide(after=[Pair(id=900, a=a, b=b, same=True), Pair(id=901, a=a, b=c, same=False)])
    )
    made = run(project, msgspec.structs.replace(RECIPE, metric="equivalence-metric"), cache=cache)
    assert [0, 1, 2] in neighborhoods(project, made, cache=cache).triplets.rows.tolist()


def test_one_instance_has_no_neighbors(project, cache, found):
    with pytest.raises(MissingLabels, match="no neighbors"):
        neighborhoods(project, msgspec.structs.replace(found[0], ids=found[0].ids[:1]), cache=cache)
