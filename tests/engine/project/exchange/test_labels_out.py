"""Labels in the formats of other programs, and back."""

import pytest

from emberscope.labels.formats.table import FORMATS

from ..label_projects import content, project_of, there_and_back


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_exported_comes_back_as_it_was(tmp_path, form):
    for seed in range(40):
        project = project_of(tmp_path / str(seed), seed)
        again, _ = there_and_back(project, tmp_path / str(seed) / "out", form)
        assert content(again) == content(project), seed
