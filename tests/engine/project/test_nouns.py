"""Words for the things of a project: of frames, and of point sets."""

from emberscope.project.nouns import OF_FRAMES, OF_POINTS


def test_a_sentence_on_frames_is_said_of_bags():
    said = OF_POINTS.say("Label more frames, or draw a relaxed box; whole clips are held out.")
    assert said == "Label more bags, or draw a bag; whole point sets are held out."


def test_an_article_fits_the_word_behind_it():
    assert OF_POINTS.say("Choose a patch of a clip") == "Choose an instance of a point set"


def test_a_capital_stays_one():
    assert OF_POINTS.say("Patches in 47 boxes of") == "Instances in 47 bags of"


def test_blocks_of_frames_are_bags():
    assert OF_POINTS.say("5 folds of blocks of frames") == "5 folds of bags"


def test_other_words_that_begin_alike_stay():
    assert OF_POINTS.say("framework, boxing, dispatch") == "framework, boxing, dispatch"


def test_of_frames_every_sentence_stays_as_it_is():
    assert OF_FRAMES.say("Frames of a clip") == "Frames of a clip"
