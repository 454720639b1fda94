"""What people install Emberscope from: the same packs for the same files, every part named, and
nothing left to compile."""

import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "freeze"


@pytest.fixture(scope="module")
def modules():
    """contents.py and freeze.py, as bootstrap starts them."""
    sys.path.insert(0, str(FOLDER))
    found = {}
    for name in ("contents", "compiled", "freeze"):
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        found[name] = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[name])
    yield found
    sys.path.remove(str(FOLDER))
    for name in found:
        del sys.modules[name]


@pytest.fixture
def program(tmp_path):
    """A folder like that of the frozen program."""
    folder = tmp_path / "emberscope"
    (folder / "_internal" / "__pycache__").mkdir(parents=True)
    (folder / "_internal" / "__pycache__" / "kernel.nbc").write_text("of this computer")
    (folder / "emberscope").write_text("program")
    (folder / "emberscope").chmod(0o755)
    (folder / "_internal" / "data.txt").write_text("data")
    (folder / "_internal" / "kernels").mkdir()
    (folder / "_internal" / "kernels" / "kernel.nbc").write_text("of the program")
    return folder


def test_a_pack_is_the_same_whenever_its_files_were_made(modules, program, tmp_path):
    first = modules["freeze"].pack(program, tmp_path / "a.tar.xz", 10**9).read_bytes()
    os.utime(program / "emberscope", (1, 1))
    again = modules["freeze"].pack(program, tmp_path / "b.tar.xz", 10**9).read_bytes()
    assert first == again


def test_a_pack_holds_the_program_and_nothing_of_this_computer(modules, program, tmp_path):
    path = modules["freeze"].pack(program, tmp_path / "a.tar.xz", 10**9)
    with tarfile.open(path) as tar:
        assert tar.getnames() == [
            "emberscope/_internal", "emberscope/_internal/data.txt",
            "emberscope/_internal/kernels", "emberscope/_internal/kernels/kernel.nbc",
            "emberscope/emberscope",
        ]  # fmt: skip
        assert tar.getmember("emberscope/emberscope").mode == 0o755


def test_a_pack_holds_the_bytecode_that_came_with_the_program(modules, program, tmp_path):
    (program / "_internal" / "__pycache__" / "module.cpython-311.pyc").write_text("bytecode")
    path = modules["freeze"].pack(program, tmp_path / "a.tar.xz", 10**9)
    with tarfile.open(path) as tar:
        held = [name for name in tar.getnames() if "__pycache__" in name]
    folder = "emberscope/_internal/__pycache__"
    assert held == [folder, f"{folder}/module.cpython-311.pyc"]


def test_a_zip_is_the_same_whenever_its_files_were_made(modules, program, tmp_path):
    first = modules["freeze"].zipped(program, tmp_path / "a.zip", 10**9).read_bytes()
    os.utime(program / "emberscope", (1, 1))
    assert modules["freeze"].zipped(program, tmp_path / "b.zip", 10**9).read_bytes() == first


def test_names_of_any_length_stand_in_a_pack_as_dpkg_reads_them(modules, program, tmp_path):
    name = "_internal/" + "/".join(["folder"] * 30) + "/data ä.txt"
    (program / name).parent.mkdir(parents=True)
    (program / name).write_text("data")
    path = modules["freeze"].pack(program, tmp_path / "a.tar.xz", 10**9)
    with tarfile.open(path) as tar:
        assert f"emberscope/{name}" in tar.getnames()
        assert [member.name for member in tar if member.pax_headers] == []


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="there is no dpkg here")
def test_a_debian_package_names_every_folder_before_what_lies_in_it(modules, program, tmp_path):
    path = modules["freeze"].debian(program, tmp_path / "e.deb", 10**9, "1.2")
    listed = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(listed.stdout)) as tar:
        names = [name.removeprefix("./") for name in tar.getnames()]
    seen = {"."}
    for name in names:
        assert str(Path(name).parent) in seen
        seen.add(name)
    assert "opt/emberscope/_internal/data.txt" in seen


@pytest.fixture
def package(tmp_path):
    """A package of one module, whose constant Python could write in two orders."""
    folder = tmp_path / "some" / "package"
    folder.mkdir(parents=True)
    (folder / "module.py").write_text("def f(x):\n    return x in {'a', 'b', 'c', 'd'}\n")
    return folder


def test_bytecode_is_believed_without_a_look_at_its_source(modules, package, tmp_path):
    modules["compiled"].compile_modules([package], tmp_path / "made", {"PYTHONHASHSEED": "1"})
    (made,) = (tmp_path / "made").rglob("*.pyc")
    assert made.relative_to(tmp_path / "made").parts[:2] == ("package", "__pycache__")
    unchecked_hash = (1).to_bytes(4, "little")
    assert made.read_bytes()[4:8] == unchecked_hash


def test_bytecode_is_the_same_wherever_and_whenever_its_source_was_written(
    modules, package, tmp_path
):
    moved = Path(shutil.copytree(package, tmp_path / "other" / "package"))
    os.utime(moved / "module.py", (1, 1))
    made = []
    for source in (package, moved):
        folder = tmp_path / f"of {source.parent.name}"
        modules["compiled"].compile_modules([source], folder, {"PYTHONHASHSEED": "1"})
        made += [path.read_bytes() for path in folder.rglob("*.pyc")]
    assert len(made) == 2
    assert made[0] == made[1]


def test_every_system_gets_kernels_of_a_named_processor(modules):
    assert {"x86_64", "AMD64", "aarch64", "arm64"} == set(modules["compiled"]._PROCESSORS)


def test_a_debian_package_has_its_three_parts_in_order(modules, program, tmp_path):
    path = modules["freeze"].debian(program, tmp_path / "e.deb", 10**9, "1.2")
    content = path.read_bytes()
    assert content.startswith(b"!<arch>\ndebian-binary   ")
    places = [content.index(name) for name in (b"debian-binary", b"control.tar.gz", b"data.tar.xz")]
    assert places == sorted(places)
    assert list(tmp_path.glob("e.*")) == [path]


def test_what_links_name_counts_once(modules, program):
    before = modules["freeze"].size_of(program)
    (program / "again").symlink_to(program / "_internal" / "data.txt")
    assert modules["freeze"].size_of(program) - before == len(str(program / "_internal/data.txt"))


def test_a_part_of_an_archive_has_an_even_length(modules):
    stream = io.BytesIO()
    modules["freeze"].add_part(stream, "name", b"odd", 0)
    assert len(stream.getvalue()) == 60 + 4


def test_the_parts_are_what_emberscope_needs_and_what_these_need(modules):
    names = {part.name.lower() for part in modules["contents"].parts_of(["emberscope"])}
    assert {"emberscope", "numpy", "llvmlite"} <= names  # llvmlite by numba alone
    assert "pytest" not in names


def test_every_part_is_listed_with_version_and_license(modules):
    parts = modules["contents"].parts_of(["msgspec"])
    found = json.loads(modules["contents"].parts_list("1.2", parts))
    (part,) = found["components"]
    assert part["purl"].startswith("pkg:pypi/msgspec@")
    assert part["licenses"][0]["license"]["name"] != "see its files"


def test_the_page_of_licenses_has_the_words_of_the_license_files(modules):
    page = modules["contents"].licenses_page(modules["contents"].parts_of(["msgspec"]))
    assert "Redistribution and use in source and binary forms" in page


@pytest.mark.parametrize(("line", "name"), [
    ("numpy>=2.0,<3", "numpy"), ("scipy", "scipy"), ("a_b[c]~=1 ; python_version > '3'", "a_b"),
])
def test_a_requirement_begins_with_a_name(modules, line, name):
    assert modules["contents"]._name_in(line) == name


def test_a_pack_has_the_version_of_the_tag_of_its_commit(modules):
    assert modules["freeze"].version_of("1.2.3", ["v1.2.3", "reviewed"], "abcdef12") == "1.2.3"


def test_a_pack_of_a_commit_without_a_tag_names_the_commit(modules):
    assert modules["freeze"].version_of("1.2.3", [], "abcdef12") == "1.2.3+gabcdef12"


def test_a_tag_that_says_another_version_than_the_program_ends_the_build(modules):
    with pytest.raises(SystemExit, match=r"tagged 2\.0.*says 1\.2\.3"):
        modules["freeze"].version_of("1.2.3", ["v2.0"], "abcdef12")
