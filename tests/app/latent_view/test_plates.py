"""Where plates go on a map."""

from PySide6.QtCore import QPoint, QRect, QSize

from emberscope_app.latent_view.plates import beside

GROUND, ANCHOR, SIZE = QRect(0, 0, 600, 400), QRect(292, 192, 17, 17), QSize(200, 80)


def test_a_card_takes_the_place_that_hides_fewest_points():
    usual = QRect(beside(SIZE, ANCHOR, GROUND, []), SIZE)
    members = [usual.center(), usual.center() + QPoint(9, 9)]
    found = QRect(beside(SIZE, ANCHOR, GROUND, [], members), SIZE)
    assert GROUND.contains(found)
    assert not any(found.contains(point) for point in members)


def test_where_no_place_is_free_a_card_covers_least_and_never_the_pointer():
    avoid = [QRect(0, 220, 600, 180), QRect(0, 0, 290, 180), QRect(400, 0, 200, 150)]
    found = QRect(beside(SIZE, ANCHOR, GROUND, avoid), SIZE)
    assert GROUND.contains(found)
    assert not found.intersects(ANCHOR)
    covered = [found.intersected(other) for other in avoid if found.intersects(other)]
    # Right of the pointer, beside it
    assert [(rect.width(), rect.height()) for rect in covered] == [(200, 20)]


def test_a_card_goes_to_a_corner_where_points_lie_all_around():
    members = [QPoint(x, y) for x in range(100, 500, 20) for y in range(110, 290, 20)]
    found = QRect(beside(SIZE, ANCHOR, GROUND, [], members), SIZE)
    assert not any(found.contains(point) for point in members)
