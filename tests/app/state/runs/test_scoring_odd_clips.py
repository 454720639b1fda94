"""Clips that are not like those that a run has seen, scored in the window: the engine answers."""

import numpy as np
import pytest

from emberscope.findings.judged.levels import DETECTION
from emberscope.labels import BACKGROUND, Box
from emberscope.pipeline import run as make_run
from emberscope.project import BagRecipe, FeatureRecipe, Project, PutLabels, PutRuns, Recipe
from emberscope.project.exchange.sources import add_source
from emberscope.scoring import unlike
from emberscope.tasks.evaluation import JudgeRun
from emberscope.tasks.scoring import FindScored, LookAtClips, ScoreClips
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.state.runs.scored import Scored

RECIPE = Recipe(method="pca", reduce=0, bags=BagRecipe(patch=12, stride=6),
                features=FeatureRecipe(kind="statistics", chip=12))
PLACES = [(8 + 2 * n, 6) for n in range(12)]


def clip(path, *, seed=0, rows=48, cols=64, dtype=np.uint16, level=1000):
    """Twelve frames of noise, each with a hot square of 12 px."""
    frames = np.random.default_rng(seed).normal(level, level / 100, (len(PLACES), rows, cols))
    for frame, (x, y) in zip(frames, PLACES, strict=True):
        frame[y : y + 12, x : x + 12] += 0.3 * level
    np.save(path, frames.astype(dtype))
    return path


@pytest.fixture
def ranked(tmp_path, home):
    """A project whose run ranks the instances of one clip."""
    project = Project()
    project.apply(add_source(project, clip(tmp_path / "train.npy")))
    (source,) = project.sources
    labels = []
    for frame, (x, y) in enumerate(PLACES):
        for kind, (left, top) in ((1, (x - 4, y - 4)), (BACKGROUND, (x, 26))):
            labels.append(Box(id=len(labels) + 1, source=source, frame=frame, class_id=kind,
                              x0=left, y0=top, x1=left + 20, y1=top + 20))
    project.apply(PutLabels(after=labels))
    project.apply(PutRuns(after=[make_run(project, RECIPE)]))
    return project


@pytest.fixture
def scored(ranked, window, worker, qtbot):
    """Scores a clip in the window; what the window says then."""
    worker.answer_as_engine(LookAtClips, ScoreClips, FindScored, JudgeRun)
    session = window.session
    session.replace(ranked, None)
    said = []
    session.message.connect(lambda message: said.append((message.level, message.words)))

    def scored(*paths):
        """Score clips, the last ones of the project."""
        for path in paths:
            session.do(add_source(session.project, path))
        keys = list(session.project.sources)[-len(paths) :]
        session.only(Scored).score(keys)
        qtbot.waitUntil(lambda: not any(job.active for job in session.jobs.jobs.values()))
        return keys, said

    return scored


def test_frames_of_another_size_are_said_before_they_are_scored(scored, tmp_path):
    _, said = scored(clip(tmp_path / "wide.npy", rows=60, cols=90))
    assert said[0] == ("warn", "wide.npy is of another kind: frames are 90 x 60 px, those that the "
                               "run has seen 64 x 48 px: targets may be of another size.")
    assert said[1][1].startswith("Scored 1 clip: ")


def test_pixels_of_another_depth_are_said_and_how_far_the_clip_is(scored, tmp_path):
    _, said = scored(clip(tmp_path / "flat.npy", dtype=np.uint8, level=100))
    level, words = said[0]
    assert level == "warn"
    assert "pixels have 8 bits, those that the run has seen 16 bits" in words
    assert "flat.npy is far from the training clips: " in words
    assert "of its patches are unlike all that the run has seen" in words


def test_another_camera_is_said(scored, tmp_path, monkeypatch):
    known = unlike._facts

    def facts(ref):
        found = known(ref)
        return found and found._replace(camera="A" if ref.name == "train.npy" else "B")

    monkeypatch.setattr(unlike, "_facts", facts)
    _, said = scored(clip(tmp_path / "other.npy"))
    assert "the camera is B, that of the run A" in said[0][1]


def test_a_clip_smaller_than_a_patch_is_refused_in_one_message(scored, window, tmp_path):
    np.save(tmp_path / "tiny.npy", np.full((3, 10, 10), 1000, np.uint16))
    (key,), _ = scored(tmp_path / "tiny.npy")
    assert window.messages.words[-1].endswith(
        "tiny.npy: frames of 10 x 10 px are smaller than the patches of run 1, 12 px. Leave this "
        "clip out.")
    assert window.session.only(Scored).of(key) is None


def test_of_several_clips_those_that_cannot_be_scored_are_left_out_and_named(
    scored, window, tmp_path
):
    np.save(tmp_path / "tiny.npy", np.full((3, 10, 10), 1000, np.uint16))
    (tiny, good), said = scored(tmp_path / "tiny.npy", clip(tmp_path / "good.npy", seed=3))
    assert said[0][1].startswith("tiny.npy: frames of 10 x 10 px are smaller than the patches")
    assert window.session.only(Scored).of(tiny) is None
    assert window.session.only(Scored).of(good) is not None


def test_where_the_clip_that_taught_the_run_is_gone_it_is_named(scored, window, tmp_path):
    (tmp_path / "train.npy").unlink()
    (key,), _ = scored(clip(tmp_path / "new.npy", seed=3))
    assert window.messages.words[-1].endswith(
        "train.npy: the source is not there. Locate train.npy, or remove it.")
    assert window.session.only(Scored).of(key) is None


def test_truth_of_half_of_the_frames_judges_these_alone(scored, window, tmp_path, qtbot):
    (key,), _ = scored(clip(tmp_path / "new.npy", seed=3))
    session = window.session
    session.do(PutLabels(title="Truth of half", after=[
        Box(id=100 + frame, source=key, frame=frame, class_id=1, x0=x, y0=y, x1=x + 12, y1=y + 12)
        for frame, (x, y) in enumerate(PLACES[:6])]))
    evaluation = evaluation_of(session)
    window.show_workspace("evaluate")
    qtbot.waitUntil(lambda: evaluation.judged(session.run.id) is not None)
    level = evaluation.judged(session.run.id).level(DETECTION)
    assert level.note.startswith("Detections on 6 frames with truth of 1 clip that run 1 has "
                                 "scored and not seen")
    assert level.frames == 6
