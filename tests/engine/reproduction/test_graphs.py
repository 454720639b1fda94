"""Wrong edges and single vectors of bags, measured small."""

from emberscope.base.monitor import Silent
from emberscope.reproduction.measures import MEASURES


def measured(name, **params):
    return MEASURES[name](seed=0, monitor=Silent(), points=None, **params)


def test_wrong_edges_cost_less_at_p_1_than_at_p_2():
    whole, broken = (
        {p: measured("scatter-ratio", p=p, wrong=wrong) for p in (1.0, 2.0)} for wrong in (0.0, 0.3)
    )
    assert whole[1.0] - broken[1.0] < 0.5 * (whole[2.0] - broken[2.0])


def test_one_map_for_all_bags_tells_topics_apart_and_a_map_per_bag_does_not():
    assert measured("topic-accuracy", variant="global", projection="pca") > 0.9
    # Six other draws: 0.10 to 0.24
    assert measured("topic-accuracy", variant="per-bag", projection="pca") < 0.5
