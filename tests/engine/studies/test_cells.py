"""The cells of a study: the combinations of its axes, each named by what its result depends on."""

import pytest
from msgspec.structs import replace

from emberscope.base.errors import ParamError
from emberscope.labels import Box
from emberscope.project import PutLabels, PutSources
from emberscope.project.model.study import Study
from emberscope.studies.cells import cells_of

from ..features.onnx_bytes import color_network
from .conftest import RECIPE, study


def test_a_cell_for_every_combination_of_values(project):
    cells = cells_of(study(method=["pca", "lpp"], seed=[0, 1]), project)
    assert sorted((cell.recipe.method, cell.recipe.seed) for cell in cells) == [
        ("lpp", 0), ("lpp", 1), ("pca", 0), ("pca", 1)]  # fmt: skip


def test_an_axis_is_a_parameter_of_the_method(project):
    (cell,) = cells_of(study(method=["lpp"], n_neighbors=[7]), project)
    assert cell.recipe.params == {"n_neighbors": 7}


def test_a_parameter_that_one_method_lacks_does_not_multiply_its_cells(project):
    cells = cells_of(study(method=["pca", "lpp"], n_neighbors=[7, 9]), project)
    assert [cell.values for cell in cells if cell.recipe.method == "pca"] == [
        {"method": "pca", "n_neighbors": None}]  # fmt: skip
    assert len(cells) == 3


def test_a_parameter_that_no_method_has_is_refused(project):
    with pytest.raises(ParamError, match="no method of the study has a parameter wings"):
        cells_of(study(method=["pca"], wings=[1]), project)


def test_a_misspelled_axis_is_answered_with_the_one_that_was_meant(project):
    with pytest.raises(ParamError, match=r"Did you mean method\?"):
        cells_of(study(methode=["pca"]), project)


@pytest.mark.parametrize(
    ("axes", "words"),
    [({"method": ["pac"]}, "pac"), ({"features": ["huge"]}, "huge"), ({"share": [2]}, "share"),
     ({"bags.wings": [1]}, "wings"), ({"a.b": [1]}, "no recipe has a field a.b"),
     ({"split": ["column:range test=5"]}, "range")],
)  # fmt: skip
def test_a_value_that_is_none_is_refused_before_anything_is_computed(project, axes, words):
    with pytest.raises(ParamError, match=words):
        cells_of(study(**axes), project)


def test_a_recipe_that_is_none_is_refused_before_anything_is_computed(project):
    with pytest.raises(ParamError, match="bags"):
        cells_of(Study(recipe={"bags": 3}, axes={"patch": [8]}), project)


def test_another_network_in_the_same_file_gives_other_keys(project, tmp_path):
    pytest.importorskip("onnxruntime")
    file, keys = tmp_path / "net.onnx", set()
    for mean in ("0.4", "0.5"):
        file.write_bytes(color_network(mean=mean)[0])
        recipe = {**RECIPE, "features": {"kind": "cnn", "file": str(file)}}
        keys |= {cell.key for cell in cells_of(Study(recipe=recipe, axes={}), project)}
    assert len(keys) == 2


def test_another_label_gives_other_keys(project):
    (before,) = cells_of(study(method=["pca"]), project)
    (source,) = project.sources
    extra = Box(id=99, source=source, frame=0, x0=40, y0=30, x1=50, y1=40)
    project.apply(PutLabels(after=[extra]))
    (after,) = cells_of(study(method=["pca"]), project)
    assert before.key != after.key


def test_a_moved_file_keeps_the_keys(project, tmp_path):
    (before,) = cells_of(study(method=["pca"]), project)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "clip.npy").rename(tmp_path / "elsewhere" / "clip.npy")
    (old,) = project.sources.values()
    moved = replace(old, path=str(tmp_path / "elsewhere" / "clip.npy"))
    project.apply(PutSources(before=[old], after=[moved]))
    (after,) = cells_of(study(method=["pca"]), project)
    assert before.key == after.key


def test_parameters_of_the_recipe_belong_to_its_method(project):
    asked = Study(recipe={**RECIPE, "method": "lpp", "params": {"n_neighbors": 7}},
                  axes={"method": ["pca", "lpp"]})
    params = {cell.recipe.method: cell.recipe.params for cell in cells_of(asked, project)}
    assert params == {"pca": {}, "lpp": {"n_neighbors": 7}}


def test_a_value_that_one_method_does_not_take_costs_its_own_cell(project):
    cells = cells_of(study(method=["pca", "tsne"], d=[2, 5]), project)
    assert [cell.values for cell in cells if cell.error] == [{"method": "tsne", "d": 5}]


def test_a_grid_without_a_cell_that_can_run_is_refused(project):
    with pytest.raises(ParamError, match="n_components is 5"):
        cells_of(study(method=["tsne"], d=[5]), project)


@pytest.mark.parametrize("recipe", [{"features": "hog"}, {"bags": 3}, {"params": [1]}])
def test_a_recipe_of_another_shape_is_refused(project, recipe):
    with pytest.raises(ParamError, match="must be a table of fields, not"):
        cells_of(Study(recipe=recipe, axes={"seed": [0]}), project)


def test_a_value_out_of_its_range_is_refused_in_plain_words(project):
    with pytest.raises(ParamError, match=r"share must be a number of 1 at most"):
        cells_of(study(share=[0.5, 2]), project)
