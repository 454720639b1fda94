"""The rows of the table, one module per family."""

from emberscope.catalogue.row import Method
from emberscope.catalogue.rows import (
    classifiers,
    concepts,
    distance,
    kernel,
    latent,
    layout,
    linear,
    metric_embedding,
    principal,
    rankers,
    side_information,
    spectral,
    supervised,
    unfolding,
    weak,
)

# The order of every list and form: from straight embeddings to those that need the most labels,
# then what only scores.
METHODS: tuple[Method, ...] = (
    *linear.ROWS,
    *distance.ROWS,
    *kernel.ROWS,
    *spectral.ROWS,
    *unfolding.ROWS,
    *principal.ROWS,
    *latent.ROWS,
    *layout.ROWS,
    *supervised.ROWS,
    *side_information.ROWS,
    *metric_embedding.ROWS,
    *weak.ROWS,
    *concepts.ROWS,
    *classifiers.ROWS,
    *rankers.ROWS,
)
