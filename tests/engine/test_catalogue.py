"""The table of methods: complete, plain, cheap to import, and right about its classes."""

import inspect
import json
import subprocess
import sys

import pytest

from emberscope.base.embedder import Embedder
from emberscope.base.errors import ParamError
from emberscope.catalogue import (
    BACKGROUND,
    METHODS,
    NEEDS,
    TARGET,
    describe,
    estimate,
    lacks,
    load,
    method,
    unlocks,
)
from emberscope.mil.classifier import BagClassifier

IDS = [row.id for row in METHODS]


def test_every_method_is_listed_once():
    assert len(set(IDS)) == len(IDS)


def test_every_target_is_a_method():
    kinds = {id: BagClassifier if method(id).kind == "classifier" else Embedder for id in IDS}
    assert [id for id, kind in kinds.items() if not issubclass(load(id), kind)] == []


@pytest.mark.parametrize("row", METHODS, ids=IDS)
def test_every_row_says_what_it_is_in_words(row):
    assert row.needs in NEEDS
    assert row.kind in ("embedding", "reduction", "classifier")
    assert row.out_of_sample in ("exact", "reconstruction", "none")
    classifies = row.kind == "classifier"
    assert row.keeps in (("",) if classifies else ("local", "global", "both", "classes"))
    assert row.space in (
        ("instance", "bag", "embedded") if issubclass(load(row.id), BagClassifier) else ("",)
    )
    assert 1900 < row.year < 2030
    assert row.when.endswith(".")
    assert row.summary.endswith(".")
    assert len(row.summary) > 60
    assert row.references


def test_more_instances_never_cost_less_time():
    seconds = {id: [0.0, *(estimate(id, n, 50)[0] for n in (100, 1000, 3000))] for id in IDS}
    assert [id for id, found in seconds.items() if sorted(found) != found] == []


def test_every_method_has_an_estimate_of_time_and_memory():
    assert [id for id in IDS if min(*estimate(id, 100, 50), *estimate(id, 100_000, 50)) <= 0] == []


def test_the_cost_changes_where_the_method_changes_its_way():
    assert estimate("isomap", 5000, 50)[1] > 8 * 5000**2
    assert estimate("isomap", 20_000, 50)[1] < 1e9


def test_a_method_says_what_is_not_labeled_yet():
    assert lacks(method("mida"), {TARGET}) == (BACKGROUND,)
    assert lacks(method("pca"), set()) == ()


def test_the_next_kind_of_label_opens_the_methods_that_lack_only_it():
    closed = [row for row in METHODS if row.needs in ("bag", "instance")]
    assert unlocks({TARGET}, closed) == ((BACKGROUND,), len(closed))
    assert unlocks(set(), closed) == ((TARGET, BACKGROUND), len(closed))
    assert unlocks({TARGET, BACKGROUND}, closed) == ((), 0)


def test_an_unknown_id_names_the_one_that_is_spelled_nearly_so_and_the_known_ones():
    with pytest.raises(ParamError, match="there is no method 'umpa'") as caught:
        method("umpa")
    known = f"Known methods: {', '.join(IDS)}."
    assert caught.value.hint == f"Did you mean umap? {known}"


def test_the_description_is_plain_data_from_which_a_form_can_be_built():
    rows = json.loads(json.dumps(describe()))
    assert [row["id"] for row in rows] == IDS
    for row in rows:
        for param in row["params"]:
            declared = next(each for each in load(row["id"]).params if each.name == param["name"])
            declared.check(param["default"])


def test_every_parameter_has_a_sentence_of_help():
    for row in describe():
        for param in row["params"]:
            assert param["help"].endswith("."), (row["id"], param["name"])
            assert param["group"]


def test_help_of_a_class_says_everything_about_its_parameters():
    for id in IDS:
        doc = " ".join(inspect.getdoc(load(id)).split())
        section = doc.partition("Parameters ---------- ")[2].partition(" Notes ----- ")[0]
        assert doc.count("Parameters ----------") == 1, id
        for param in load(id).params:
            unit = f", {param.unit}" if param.unit else ""
            how = f"{param.type}, {param.range_text}{unit}, default {param.default_text}"
            assert f"{param.name} : {how} {param.label}. {param.help}" in section, id


def test_importing_it_imports_nothing_heavy():
    code = (
        "import sys, emberscope.catalogue, emberscope.neighbors, emberscope.embedding, "
        "emberscope.mil, "
        "emberscope.evaluate; print([m for m in ('numpy', 'scipy', 'sklearn', 'numba') if m in "
        "sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    heavy = set(json.loads(out.replace("'", '"'))) - {"numpy"}
    assert heavy == set()


def test_bagging_costs_what_its_members_cost():
    cheap, dear = estimate("knn", 2000, 50)[0], estimate("attention-mil", 2000, 50)[0]
    assert dear > 5 * cheap  # else nothing is said here
    of_cheap, of_dear = (estimate("bagging", 2000, 50, {"base": id, "n_members": 4})[0]
                         for id in ("knn", "attention-mil"))
    assert of_dear - of_cheap == pytest.approx(4 * (dear - cheap))
    assert estimate("bagging", 2000, 50, {"base": "attention-mil", "n_members": 8})[0] > (
        1.8 * of_dear)


def test_the_members_of_a_row_are_its_parameters():
    for row in METHODS:
        if row.members is not None:
            usual = {param.name: param.default for param in load(row.id).params}
            assert usual[row.members.base] == row.members.usual_base
            assert usual[row.members.count] == row.members.usual_count


def choosing(id):
    return any("full" in (param.choices or ()) for param in load(id).params
               if param.name == "graph")


@pytest.mark.parametrize("id", [id for id in IDS if choosing(id)])
def test_all_pairs_as_edges_cost_about_100_bytes_each(id):
    assert estimate(id, 4000, 50, {"graph": "full"})[1] >= 100 * 4000**2
    assert estimate(id, 4000, 50, {"graph": "full"})[0] > estimate(id, 4000, 50)[0]
    assert estimate(id, 4000, 50, {"graph": "mutual"}) == estimate(id, 4000, 50)


def test_no_two_methods_have_classes_of_one_name():
    names = [row.target.partition(":")[2] for row in METHODS]
    assert [name for name in set(names) if names.count(name) > 1] == []
