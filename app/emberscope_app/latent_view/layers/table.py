"""The table of layers, in the order of their buttons: what is not in it is not on the maps."""

from functools import cache
from importlib import import_module

from emberscope_app.latent_view.layers.layer import MapLayer

# "module:Class" beside this file.
LAYERS = (
    "contours:Contours",
    "strip_bands:StripBands",
    "edge_histograms:EdgeHistograms",
    "bag_outlines:BagOutlines",
    "bag_lines:BagLines",
    "bag_balls:BagBalls",
    "pair_links:PairLinks",
    "neighbor_graph:NeighborGraph",
    "concept_stars:ConceptStars",
    "ground_squares:GroundSquares",
    "tracks:TrackWay",
    "above_threshold:AboveThreshold",
    "false_neighbors:FalseNeighbors",
    "ellipses:Ellipses",
    "synthetic:Mosaic",
    "chips_on_map:ChipsOnMap",
)


@cache
def map_layers() -> tuple[type[MapLayer], ...]:
    """The layers of the table."""
    rows = [row.partition(":") for row in LAYERS]
    return tuple(
        getattr(import_module(f"{__package__}.{module}"), name) for module, _, name in rows
    )
