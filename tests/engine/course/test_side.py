"""Side information on its way through a run: records of a person, pairs of bag labels, a metric
before the method."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.course.cost import estimate
from emberscope.course.inputs import inputs_of
from emberscope.course.plan import plan_of
from emberscope.course.side import witness_confidence
from emberscope.course.stages import separation, spread
from emberscope.labels.side_info import Actions, Distance, Pair
from emberscope.pipeline import run
from emberscope.pipeline.measures import measure
from emberscope.project import PutRuns, PutSide, Recipe, from_record, to_record
from emberscope.project.store.file import load, save

from .conftest import RECIPE
from .toy_metric import ToyMetric, put_into_catalogue

INFORMED = msgspec.structs.replace(RECIPE, metric="toy-metric")


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    put_into_catalogue(monkeypatch)


@pytest.fixture
def ids(project, cache):
    return run(project, RECIPE, cache=cache).ids


def mark(project, *said):
    """Pairs (a, b, same) of a person."""
    project.apply(PutSide(after=[Pair(id=key, a=int(a), b=int(b), same=same)
                                 for key, (a, b, same) in enumerate(said, start=500)]))


def test_a_metric_changes_what_every_method_sees(project, cache):
    plain, informed = run(project, RECIPE, cache=cache), run(project, INFORMED, cache=cache)
    assert not np.allclose(plain.Z, informed.Z)
    assert informed.metrics["pair_agreement"] == 0.75
    assert "Toy metric: 75 % of held-out pairs agree." in informed.notes


def test_marked_pairs_reach_the_metric_as_rows(project, cache, ids):
    mark(project, (ids[0], ids[5], False))
    found = run(project, msgspec.structs.replace(INFORMED, bag_pairs=False), cache=cache)
    assert ToyMetric.seen[0].pairs.tolist() == [[0, 5]]
    assert (found.metrics["marked_pairs"], found.metrics["pairs"]) == (1, 1)
    assert "Pairs that took part: 1 marked, 0 from bag labels." in found.notes


def test_pairs_of_bag_labels_take_part_beside_those_that_were_marked(project, cache, ids):
    mark(project, (ids[0], ids[5], False))
    found = run(project, INFORMED, cache=cache)
    assert found.metrics["marked_pairs"] == 1
    assert found.metrics["pairs"] > 100
    weights = ToyMetric.seen[0].pair_weight
    assert (weights[0], weights[1:].max()) == (1.0, 0.2)


def test_a_recipe_that_ignores_side_information_gives_the_plain_run(project, cache, ids):
    mark(project, (ids[0], ids[5], False))
    plain = run(project, RECIPE, cache=cache)
    ignoring = run(project, msgspec.structs.replace(INFORMED, ignore_side=True), cache=cache)
    assert np.array_equal(plain.Z, ignoring.Z)
    assert "pairs" not in ignoring.metrics


def in_bags(found, label):
    """Ids of two instances of bags of one label."""
    return found.ids[found.bags.of(int(np.flatnonzero(found.bag_labels == label)[0]))[:2]]


def test_who_is_alike_to_background_is_background_in_the_next_run(project, cache):
    before = run(project, RECIPE, cache=cache)
    member, ground = in_bags(before, 1)[0], in_bags(before, -1)[0]
    mark(project, (member, ground, True))
    after = run(project, RECIPE, cache=cache)
    changed = after.ids[after.y != before.y]
    assert changed.tolist() == after.diagnostics["followed"].tolist() == [member]
    assert "Labels that follow from alike pairs: 1 background, 0 target." in after.notes


@pytest.mark.parametrize(
    "said",
    [
        Pair(id=500, a=1, b=2, same=False),
        Pair(id=500, a=1, b=2, same=True, weight=0),
        Pair(id=500, a=1, b=2, same=True, attribute="engine"),
    ],
    ids=["different", "no-weight", "attribute"],
)
def test_no_label_follows_from_other_pairs(project, cache, said):
    before = run(project, RECIPE, cache=cache)
    member, ground = int(in_bags(before, 1)[0]), int(in_bags(before, -1)[0])
    project.apply(PutSide(after=[msgspec.structs.replace(said, a=member, b=ground)]))
    assert run(project, RECIPE, cache=cache).y.tolist() == before.y.tolist()


def test_who_ignores_side_information_ignores_the_labels_that_follow(project, cache):
    before = run(project, RECIPE, cache=cache)
    mark(project, (in_bags(before, 1)[0], in_bags(before, -1)[0], True))
    assert (
        run(project, msgspec.structs.replace(RECIPE, ignore_side=True), cache=cache).y.tolist()
        == before.y.tolist()
    )


def test_a_run_read_again_knows_whose_label_followed(project, cache):
    before = run(project, RECIPE, cache=cache)
    mark(project, (in_bags(before, 1)[0], in_bags(before, -1)[0], True))
    after = run(project, RECIPE, cache=cache)
    made = inputs_of(project, after, cache).made
    assert made.instances.ids[made.marked].tolist() == after.diagnostics["followed"].tolist()


def test_held_out_bags_are_held_out_from_the_metric_too(project, cache):
    run(project, INFORMED, cache=cache)
    whole, *folds = ToyMetric.seen
    assert len(folds) == 5
    assert all(len(fold.pairs) < len(whole.pairs) for fold in folds)


def test_a_metric_without_any_pair_says_what_to_mark(project, cache):
    with pytest.raises(
        MissingLabels, match=r"Toy metric needs pairs, and there are none .* Mark pairs of chips"
    ):
        run(project, msgspec.structs.replace(INFORMED, bag_pairs=False), cache=cache)


def test_a_method_that_reads_pairs_cannot_ignore_them(project, cache):
    recipe = msgspec.structs.replace(RECIPE, method="toy-metric", ignore_side=True)
    with pytest.raises(MissingLabels, match="which the recipe ignores"):
        run(project, recipe, cache=cache)


def test_a_method_that_is_no_metric_cannot_stand_before_another(project, cache):
    with pytest.raises(ParamError, match=r"umap is no metric. Known metrics: toy-metric"):
        run(project, msgspec.structs.replace(RECIPE, metric="umap"), cache=cache)


def test_parameters_of_the_metric_are_checked_before_anything_is_computed(project, cache):
    with pytest.raises(ParamError, match="power"):
        run(project, msgspec.structs.replace(INFORMED, metric_params={"power": 7.0}), cache=cache)


def test_distances_of_several_units_only_matter_to_what_reads_distances(project, cache, ids):
    project.apply(PutSide(after=[
        Distance(id=600, a=int(ids[0]), b=int(ids[1]), distance=1, unit="m"),
        Distance(id=601, a=int(ids[0]), b=int(ids[2]), distance=1, unit="deg"),
    ]))
    run(project, INFORMED, cache=cache)  # reads pairs


def test_a_pair_of_chips_that_are_gone_is_left_out_and_said(project, cache):
    mark(project, (1, 2, True))
    found = run(project, INFORMED, cache=cache)
    assert (
        "1 of side information left out: about chips that are not among the instances."
        in found.notes
    )


def test_another_pair_makes_another_embedding_and_the_same_pairs_none(project, cache, ids):
    recipe = msgspec.structs.replace(INFORMED, bag_pairs=False)
    mark(project, (ids[0], ids[5], True))
    first, again = run(project, recipe, cache=cache), run(project, recipe, cache=cache)
    mark(project, (ids[0], ids[30], True), (ids[2], ids[40], True))
    other = run(project, recipe, cache=cache)
    assert np.array_equal(first.Z, again.Z)
    assert not np.allclose(first.Z, other.Z)
    assert len({id(side) for side in ToyMetric.seen}) == len(ToyMetric.seen)


def test_a_metric_costs_time_of_its_own(project, cache):
    plain, informed = (
        estimate(project, RECIPE, cache=cache),
        estimate(project, INFORMED, cache=cache),
    )
    assert (plain.stages["metric"], informed.stages["metric"]) == (0.0, 0.5)


def test_numbers_that_were_left_out_are_measured_with_the_pairs_of_the_run(project, cache):
    found = run(project, INFORMED, cache=cache)
    found = from_record(to_record(PutRuns(after=[found]))).after[0]
    lacking = {
        key: value for key, value in found.metrics.items() if not key.startswith("method_bag")
    }
    again = measure(
        project,
        msgspec.structs.replace(found, metrics=lacking | {"method_bag_auc_seconds": 9.0}),
        cache=cache,
    )
    assert again.metrics["method_bag_auc"] == found.metrics["method_bag_auc"]


# The confidence of witnesses


def test_what_no_background_looks_like_is_a_sure_witness():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 2)).astype(np.float32)
    X[0] += 20
    bags = Bags.from_lists(
        [[0, 1, 2], list(range(3, 30)), list(range(30, 60))], np.array([1, -1, -1])
    )
    found = witness_confidence(X, bags)
    assert found[0] == 1.0
    assert (found[3:] == 0).all()


def test_without_background_nothing_is_a_sure_witness():
    bags = Bags.from_lists([[0, 1], [2]], np.array([1, 0]))
    assert not witness_confidence(np.eye(3, dtype=np.float32), bags).any()


@pytest.mark.parametrize("sizes", [(1,), (2,), (1, 1), (5,)])
def test_a_handful_of_background_is_no_error(sizes):
    ends = np.cumsum((3, *sizes))
    lists = [list(range(3)), *(list(range(a, b)) for a, b in pairwise(ends))]
    bags = Bags.from_lists(lists, np.array([1] + [-1] * len(sizes)))
    found = witness_confidence(
        np.random.default_rng(0).normal(size=(ends[-1], 4)).astype(np.float32), bags
    )
    assert ((found >= 0) & (found <= 1)).all()


def test_marked_actions_reach_the_method_that_unfolds_along_them(project, cache, ids):
    recipe = msgspec.structs.replace(RECIPE, method="are", params={"max_iter": 50})
    with pytest.raises(MissingLabels, match="needs actions"):
        run(project, recipe, cache=cache)
    track = Actions(id=600, instances=tuple(int(id) for id in ids[:6]), actions=("go",) * 5)
    project.apply(PutSide(after=[track]))
    found = run(project, recipe, cache=cache)
    assert found.state["before_"].tolist() == [0, 1, 2, 3, 4]
    assert list(found.state["actions_"]) == ["go"]
    assert np.isfinite(found.Z).all()


def test_a_run_along_actions_is_kept_in_the_project_file(project, cache, ids, tmp_path):
    project.apply(
        PutSide(
            after=[Actions(id=600, instances=tuple(int(id) for id in ids[:6]), actions=("go",) * 5)]
        )
    )
    found = run(
        project, msgspec.structs.replace(RECIPE, method="are", params={"max_iter": 50}), cache=cache
    )
    project.apply(PutRuns(after=[found]))
    save(project, tmp_path / "track.ember")
    again = load(tmp_path / "track.ember").runs[found.id]
    method = catalogue.load("are").from_state(dict(again.state))
    assert method.next_rows([2], "go").tolist() == [3]


@pytest.mark.parametrize("method", ["contrastive", "triplet"])
def test_marked_pairs_reach_a_map_that_is_trained_on_bags(project, cache, ids, method, monkeypatch):
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)  # the coordinates are enough
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)
    recipe = msgspec.structs.replace(RECIPE, method=method, params={"n_epochs": 2})
    plain = run(project, recipe, cache=cache)
    mark(project, (ids[0], ids[5], True), (ids[0], ids[40], False))
    informed = run(project, recipe, cache=cache)
    ignoring = run(project, msgspec.structs.replace(recipe, ignore_side=True), cache=cache)
    assert "Pairs that took part: 2 marked, 0 from bag labels." in informed.notes
    assert not np.allclose(plain.Z, informed.Z)
    np.testing.assert_array_equal(plain.Z, ignoring.Z)


def test_a_map_after_a_metric_leaves_the_pairs_to_it(project, cache, ids):
    mark(project, (ids[0], ids[5], True), (ids[0], ids[40], False))
    recipe = msgspec.structs.replace(INFORMED, method="contrastive", params={"n_epochs": 2})
    assert not plan_of(recipe).reads_side
    assert plan_of(msgspec.structs.replace(recipe, metric="")).reads_side
    assert run(project, recipe, cache=cache).metrics["marked_pairs"] == 2


def test_a_map_that_cannot_keep_all_its_directions_stands_before_another_with_its_own_number(
    monkeypatch,
):
    monkeypatch.undo()  # the real catalogue
    params = {
        id: plan_of(Recipe(metric=id)).metric.make().n_components for id in ("contrastive", "lmnn")
    }
    assert params == {"contrastive": 2, "lmnn": None}
