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


def test_a_card_goes_to_a_corner_where_points_lie_all_around():
    members = [QPoint(x, y) for x in range(100, 500, 20) for y in range(110, 290, 20)]
    found = QRect(beside(SIZE, ANCHOR, GROUND, [], members), SIZE)
    assert not any(found.contains(point) for point in members)
