"""Every method that learns from labels, bags or pairs, as it is by default, where most features say
nothing and scales differ: what it is asked to find lies in two features, the other sixteen are
noise. A new row of the catalogue is asked as well."""

from functools import cache
from importlib import resources

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.catalogue import CLASSIFIERS, EMBEDDERS, load, method
from emberscope.evaluate.knn import knn_classify
from emberscope.evaluate.scores import auc
from emberscope.labels.side_info import SideInfo

RELEVANT, IRRELEVANT = 2, 16
N_BAGS, N_ROWS = 60, 160

# They cluster over all features alike, box in what is common to all bags, or have too few bags here
# for as much as they learn: their pages say so.
UNABLE = ("bamic", "negative-concepts", "fuzzy-c-means", "possibilistic-c-means", "apr-standard",
          "midlabs", "siamese", "siamese-triplet")
# They compare features as they are.
OF_ONE_SCALE = ("s-le", "se-isomap", "smds", "supervised-pca", "kernel-equivalence-metric", "nca",
                "contrastive", "triplet", "mi-le", "mi-isomap")
GOOD, LOST = 0.9, 0.05
PAGES = resources.files("emberscope_resources") / "help" / "methods"


@cache
def planted(seed):
    """Bags of 2 to 8; each second one has an instance far out in both features that say something.
    """
    rng = np.random.default_rng(seed)
    sizes, positive = rng.integers(2, 9, N_BAGS), np.arange(N_BAGS) % 2 == 0
    X = rng.normal(size=(sizes.sum(), RELEVANT + IRRELEVANT))
    first = (np.cumsum(sizes) - sizes)[positive]
    X[first, :RELEVANT] = 2.2 + 0.35 * rng.normal(size=(len(first), RELEVANT))
    return X * scales(), Bags.from_column(np.repeat(np.arange(N_BAGS), sizes),
                                          np.where(positive, 1, -1))


@cache
def two_kinds(seed):
    """Rows, their kinds, and bags of four; a positive bag holds one of the second kind or more."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(N_ROWS) < 0.3, 1, -1)
    X = rng.normal(size=(N_ROWS, RELEVANT + IRRELEVANT))
    X[:, :RELEVANT] = 1.1 * y[:, None] + 0.5 * rng.normal(size=(N_ROWS, RELEVANT))
    bag = np.arange(N_ROWS) // 4
    return X, y, Bags.from_column(bag, y.reshape(-1, 4).max(axis=1))


def scales():
    return 10 ** np.random.default_rng(0).uniform(-1.5, 1.5, RELEVANT + IRRELEVANT)


READ = [row.id for row in EMBEDDERS if row.needs in ("instance", "bag", "classes", "pairs")]
ASKED = [row.id for row in CLASSIFIERS if row.needs == "bag"]


@cache
def ranked(id, columns):
    """Area of new bags by the features in so many first columns; the fitted method."""
    (X, bags), (Q, new) = planted(1), planted(2)
    fitted = load(id)().fit(X[:, :columns], bags=bags)
    return auc(new.labels, fitted.score_bags(Q[:, :columns], new)), fitted


@pytest.mark.parametrize("id", [id for id in ASKED if id not in UNABLE])
def test_new_bags_are_ranked_as_if_features_that_say_nothing_were_not_there(id):
    found, _ = ranked(id, RELEVANT + IRRELEVANT)
    assert found >= (GOOD if found >= GOOD else ranked(id, RELEVANT)[0] - LOST)


@pytest.mark.parametrize("id", UNABLE)
def test_a_page_says_that_a_method_cannot_tell_which_features_say_something(id):
    assert "say nothing" in (PAGES / f"{id}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("id", [id for id in ASKED if load(id).blind_to_relevance])
def test_a_note_says_that_a_method_cannot_tell_which_features_say_something(id):
    assert "All 18 features count alike" in " ".join(ranked(id, RELEVANT + IRRELEVANT)[1].notes_)


def pairs_of(y):
    rows = np.random.default_rng(0).permutation(N_ROWS).reshape(-1, 2)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return SideInfo.of_pairs(rows[same][:30], rows[~same][:30])


@cache
def named(id, *, scaled=False, columns=RELEVANT + IRRELEVANT):
    """Share of new rows that their three nearest name rightly by the features in so many first
    columns, of one scale or each of its own, both kinds alike."""
    (X, y, bags), (Q, kind, _) = two_kinds(1), two_kinds(2)
    units = scales() if scaled else 1.0
    X, Q = (X * units)[:, :columns], (Q * units)[:, :columns]
    given = {"instance": {"y": y}, "pairs": {"side": pairs_of(y)}}.get(
        method(id).needs, {"bags": bags})
    fitted = load(id)().fit(X, **given)
    found = knn_classify(fitted.embedding_, y, fitted.transform(Q), k=3)[0]
    return np.mean([(found == kind)[kind == one].mean() for one in (-1, 1)])


@pytest.mark.parametrize("id", [id for id in READ if id not in UNABLE])
def test_new_rows_lie_beside_their_kind_though_most_features_say_nothing(id):
    found = named(id)
    assert found >= (GOOD if found >= GOOD else named(id, columns=RELEVANT) - LOST)


@pytest.mark.parametrize("id", [id for id in READ if id not in (*UNABLE, *OF_ONE_SCALE)])
def test_scales_of_features_do_not_matter(id):
    found = named(id, scaled=True)
    assert found >= (GOOD if found >= GOOD else named(id) - LOST)


@pytest.mark.parametrize("id", OF_ONE_SCALE)
def test_a_page_asks_for_features_of_one_scale(id):
    assert "to one scale" in (PAGES / f"{id}.md").read_text(encoding="utf-8")
