"""What was chosen inside the training folds, and how it is said."""

from emberscope.pipeline.classification import chosen_words, most_often


def test_values_are_counted_by_folds():
    counts = {"n_citers": {"6": 4, "4": 1}, "distance": {"max": 5}}
    assert chosen_words("Citation-kNN", counts) == (
        "Citation-kNN, chosen inside the training folds: citers 6 in 4 of 5, 4 in 1; distance max in 5 of 5."
    )


def test_values_that_won_together_most_often_are_the_usual_ones():
    assert most_often([{"k": 3, "w": 1}, {"k": 5, "w": 1}, {"k": 3, "w": 1}]) == {"k": 3, "w": 1}


def test_where_nothing_is_chosen_nothing_is_usual():
    assert most_often([{}, {}]) == most_often([]) == {}
