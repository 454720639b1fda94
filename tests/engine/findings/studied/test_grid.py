"""The grid of a study as tables of tiles."""

from emberscope.findings.studied.grid import PlaceScore, grid_panels


def place(mean=None, **values):
    return PlaceScore(values, mean)


def test_the_longer_axis_goes_down_and_the_other_across():
    places = [place(0.5 + d / 20 + r / 10, d=d, r=r) for d in (2, 3, 5) for r in (1, 2)]
    (panel,) = grid_panels(places, "method_bag_auc")
    assert [row.words for row in panel.tiles.rows] == ["d 2", "d 3", "d 5"]
    assert [column.words for column in panel.tiles.columns] == ["1", "2"]


def test_a_third_axis_has_a_panel_for_each_value():
    places = [place(0.5, d=d, r=r, method=m) for d in (2, 3, 5) for r in (1, 2, 3)
              for m in ("pca", "lpp")]
    assert [panel.tiles.title for panel in grid_panels(places, "")] == ["method pca", "method lpp"]


def test_all_panels_have_one_color_scale():
    places = [place(mean, d=d, r=r, method=m) for d in (2, 3) for r in (1, 2)
              for m, mean in (("pca", 0.5), ("lpp", 0.9))]
    assert {panel.tiles.ends for panel in grid_panels(places, "")} == {(0.5, 0.9)}


def test_where_all_places_are_perfect_the_color_scale_ends_there():
    (panel,) = grid_panels([place(1.0, d=2), place(1.0, d=3)], "method_bag_auc")
    assert panel.tiles.ends == (0.98, 1.0)
    assert {tile.share for (tile,) in panel.tiles.tiles} == {1.0}


def test_where_all_places_have_nothing_the_color_scale_begins_there():
    (panel,) = grid_panels([place(0.0, d=2), place(0.0, d=3)], "method_bag_auc")
    assert panel.tiles.ends == (0.0, 0.02)


def test_a_place_that_is_to_do_is_hatched():
    (panel,) = grid_panels([place(d=2), place(0.7, d=3)], "method_bag_auc")
    assert [tile.hatched for (tile,) in panel.tiles.tiles] == [True, False]


def test_before_the_first_number_there_is_no_color_scale():
    (panel,) = grid_panels([place(d=2)], "method_bag_auc")
    assert panel.tiles.ends is None


def test_a_tile_leads_back_to_its_place():
    places = [place(0.5, d=d, r=r) for d in (2, 3, 5) for r in (1, 2)]
    (panel,) = grid_panels(places, "")
    assert [[places[n].values for n in row] for row in panel.places][1] == [
        {"d": 3, "r": 1}, {"d": 3, "r": 2}]  # fmt: skip


def test_a_study_without_axes_is_one_tile():
    (panel,) = grid_panels([place(0.7)], "method_bag_auc")
    assert panel.tiles.tiles[0][0].big == "0.70"
