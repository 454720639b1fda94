"""Bags of labels: few at once, very many in a thread."""

from emberscope.base.ids import label_of_bag
from emberscope.labels import Box
from emberscope.project import PutLabels
from emberscope_app.state.labels.label_bags import AT_ONCE, label_bags


def boxes(count: int) -> list[Box]:
    return [
        Box(
            id=1000 + k,
            source=10,
            frame=k % 6,
            class_id=1,
            x0=2.0 * (k // 6),
            y0=20,
            x1=2.0 * (k // 6) + 40,
            y1=60,
        )
        for k in range(count)
    ]


def test_bags_of_few_labels_are_there_at_once(session):
    assert len(label_bags(session).made.bags) > 0


def test_bags_of_very_many_labels_come_later(session, qtbot):
    session.do(PutLabels(title="Draw", after=boxes(AT_ONCE)))
    bags = label_bags(session)
    with qtbot.waitSignal(bags.came):
        assert bags.made is None
    assert len(bags.made.bags) > AT_ONCE / 2


def test_bags_of_labels_that_changed_meanwhile_are_made_again(session, qtbot):
    many = boxes(AT_ONCE)
    session.do(PutLabels(title="Draw", after=many))
    bags = label_bags(session)
    with qtbot.waitSignal(bags.came):
        assert bags.made is None
        session.do(PutLabels(title="Delete", before=many[:100]))
    assert bags.made is not None
    assert not {label_of_bag(int(bag)) for bag in bags.made.bags.ids} & set(range(1000, 1100))
