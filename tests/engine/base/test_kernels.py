"""Compiled code on the disk is checked before it runs, and made again where it is damaged."""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from emberscope.base import kernels
from emberscope.base.files import part_path

SOURCE = """
from emberscope.base.kernels import njit

@njit(cache=True)
def more(a, b):
    return a * b + 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a module of one kernel, whose code is kept beside it."""
    monkeypatch.setattr(kernels, "_said", set())
    (tmp_path / "more.py").write_text(SOURCE)
    return tmp_path


def loaded(folder):
    """The kernel as another process has it: it knows nothing yet."""
    spec = importlib.util.spec_from_file_location("more", folder / "more.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.more


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def code_files(folder):
    return sorted((folder / "__pycache__").glob("*.nbc"))


def test_code_is_compiled_once_and_found_again(folder):
    assert loaded(folder)(2, 3) == 7
    again = loaded(folder)
    assert again(2, 3) == 7
    assert hits(again) == 1


ONE_THAT_CALLS = """
from emberscope.base.kernels import njit

@njit
def once(a):
    return a + 1

@njit(cache=True)
def more(a):
    return once(a)
"""


def test_code_on_the_disk_names_no_place_in_memory_which_differs_each_time(folder):
    (folder / "more.py").write_text(ONE_THAT_CALLS)
    loaded(folder)(2)
    (path,) = code_files(folder)
    assert b" at 0x" not in path.read_bytes()


def test_each_signature_has_a_file_of_its_own(folder):
    kernel = loaded(folder)
    assert (kernel(2, 3), kernel(2.0, 3.5)) == (7, 8.0)
    assert len(code_files(folder)) == 2


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.3, 0.5, 0.7, 0.99999])
def test_code_with_one_wrong_bit_is_compiled_again_and_the_log_says_so(share, folder, caplog):
    loaded(folder)(2, 3)
    (path,) = code_files(folder)
    data = bytearray(path.read_bytes())
    data[int(share * len(data))] ^= 4
    path.write_bytes(data)
    again = loaded(folder)
    assert again(2, 3) == 7
    assert hits(again) == 0
    assert [str(path) in record.getMessage() for record in caplog.records] == [True]
    assert hits(loaded(folder)) == 0
    last = loaded(folder)
    assert (last(2, 3), hits(last)) == (7, 1)


@pytest.mark.parametrize("data", [b"", b"EMBERCA1", b"\x80\x04N."])
def test_code_that_is_something_else_is_compiled_again(data, folder):
    loaded(folder)(2, 3)
    code_files(folder)[0].write_bytes(data)
    assert loaded(folder)(2, 3) == 7


def test_whole_code_of_another_signature_is_not_believed(folder):
    kernel = loaded(folder)
    kernel(2, 3)
    (of_ints,) = code_files(folder)
    kernel(2.0, 3.5)
    (of_floats,) = {*code_files(folder)} - {of_ints}
    of_ints.write_bytes(of_floats.read_bytes())
    again = loaded(folder)
    assert (again(2, 3), hits(again)) == (7, 0)


def shipped(folder, monkeypatch):
    """The code of the kernel for (2, 3), as it comes with a frozen program; no other is left."""
    monkeypatch.setattr(kernels, "SHIPPED", folder / "kernels")
    loaded(folder)(2, 3)
    kernels.SHIPPED.mkdir()
    (code,) = code_files(folder)
    return code.rename(kernels.SHIPPED / code.name)


def test_code_that_came_with_the_program_is_not_compiled(folder, monkeypatch):
    shipped(folder, monkeypatch)
    again = loaded(folder)
    assert (again(2, 3), hits(again), code_files(folder)) == (7, 1, [])


def test_code_that_came_with_the_program_fits_wherever_the_program_lies(folder, monkeypatch):
    shipped(folder, monkeypatch)
    moved = folder / "other place"
    moved.mkdir()
    (moved / "more.py").write_text(SOURCE)
    os.utime(moved / "more.py", (1, 1))
    again = loaded(moved)
    assert (again(2, 3), hits(again)) == (7, 1)


def test_code_that_came_with_the_program_is_checked_too(folder, monkeypatch):
    path = shipped(folder, monkeypatch)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    again = loaded(folder)
    assert (again(2, 3), hits(again)) == (7, 0)


@pytest.mark.parametrize(("features", "taken"), [("+some,+more", "plain"), ("+some,+none", None)])
def test_a_processor_that_can_less_than_the_shipped_code_needs_gets_code_of_its_own(
    features, taken, tmp_path, monkeypatch
):
    (tmp_path / "processor.txt").write_text(f"plain {features}\n")
    monkeypatch.setattr(kernels, "SHIPPED", tmp_path)
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr("numba.core.codegen.get_host_cpu_features", lambda: "+other,+some,+more")
    monkeypatch.setattr(kernels.numba.core.config, "reload_config", lambda: None)
    kernels._compile_for_shipped(kernels.numba)
    assert os.environ.get("NUMBA_CPU_NAME") == taken


def test_code_of_another_state_of_the_source_goes(folder):
    loaded(folder)(2, 3)
    (old,) = code_files(folder)
    # Python itself believes one of the same second and size to be the same
    longer = SOURCE.replace("+ 1", "+ 1 + 1")
    (folder / "more.py").write_text(longer)
    assert loaded(folder)(2, 3) == 8
    (new,) = code_files(folder)
    assert new != old


def test_what_numba_itself_kept_of_a_kernel_is_not_read_and_goes(folder):
    loaded(folder)(2, 3)
    (path,) = code_files(folder)
    stem = path.name.rpartition(".nbc")[0].rpartition(".")[0]
    theirs = [path.with_name(f"{stem}.nbi"), path.with_name(f"{stem}.1.nbc")]
    for other in theirs:
        other.write_bytes(b"not even a pickle")
    path.unlink()
    assert loaded(folder)(2, 3) == 7
    assert code_files(folder) == [path]
    assert not theirs[0].exists()


def test_what_a_killed_writer_left_goes(folder):
    loaded(folder)(2, 3)
    (path,) = code_files(folder)
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    part = part_path(path)
    left = part.with_name(part.name.replace(f"-{os.getpid()}", f"-{int(gone.stdout)}"))
    left.write_bytes(b"half of it")
    path.unlink()
    loaded(folder)(2, 3)
    assert not left.exists()


def test_many_processes_may_compile_at_once(folder):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from more import more; "
        "print(more(2, 3), more(2.0, 3.5), more(2, 0.5))"
    )
    with ThreadPoolExecutor(3) as pool:
        calls = [
            pool.submit(
                subprocess.run,
                [sys.executable, "-P", "-c", code, str(folder)],
                capture_output=True,
                text=True,
                check=True,
            )
            for _ in range(3)
        ]
    assert {call.result().stdout for call in calls} == {"7 8.0 2.0\n"}
    assert len(code_files(folder)) == 3
    assert list((folder / "__pycache__").glob(".*")) == []


@pytest.mark.parametrize("missing", ["caching.CompileResultCacheImpl", "serialize.dumps", "_cache"])
def test_with_another_numba_code_is_compiled_anew_and_the_log_says_so_once(
    missing, folder, monkeypatch, caplog
):
    if missing == "_cache":
        monkeypatch.setattr(
            kernels.numba, "njit", lambda **options: lambda function: Plain(function)
        )
    else:
        monkeypatch.delattr(f"numba.core.{missing}")
    assert [loaded(folder)(2, 3), loaded(folder)(2, 3)] == [7, 7]
    (record,) = caplog.records
    assert record.getMessage().startswith("Compiled code is not kept (")


class Plain:
    """A kernel of a numba that has no such cache."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *arguments):
        return self._function(*arguments)


@pytest.mark.parametrize("name", ["reduce", "rebuild", "check_cachable"])
def test_what_numba_cannot_write_or_read_is_compiled_anew(name, folder, monkeypatch):
    def fail(*arguments):
        raise TypeError("it is another one")

    if name == "rebuild":
        loaded(folder)(2, 3)
    monkeypatch.setattr(f"numba.core.caching.CompileResultCacheImpl.{name}", fail)
    assert loaded(folder)(2, 3) == 7


def test_where_no_folder_can_be_written_code_is_compiled_anew(folder, monkeypatch):
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])
    assert loaded(folder)(2, 3) == 7


def test_a_disk_that_is_full_costs_time_only(folder, monkeypatch, caplog):
    def full(path, key, arrays):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernels, "write_arrays", full)
    assert loaded(folder)(2, 3) == 7
    assert "No space left on device" in caplog.text


def test_numba_that_is_told_to_compile_nothing_keeps_nothing(folder, monkeypatch, caplog):
    monkeypatch.setattr(kernels.numba.core.config, "DISABLE_JIT", 1)
    assert loaded(folder)(2, 3) == 7
    assert caplog.records == []


def test_a_kernel_that_is_told_to_recompile_forgets_its_code(folder):
    kernel = loaded(folder)
    kernel(2, 3)
    kernel.recompile()
    assert kernel(2, 3) == 7
    assert len(code_files(folder)) == 1


# ---- numba as it is imported


FIRST = (
    "import emberscope.neighbors.exact",
    "from emberscope.jobs.warm import _import as load; load()",
)
SETTINGS = """
from emberscope.base.kernels import njit, numba
njit(lambda: 1)()  # settings are looked for at each compilation
print(numba.config.DISABLE_JIT, numba.config.CACHE_DIR, numba.config.NUMBA_NUM_THREADS)
"""


def at_import(folder, first=FIRST[0], **environment):
    """What a fresh process finds: settings of numba, and what the log says."""
    code = f"import logging; logging.basicConfig(format='%(message)s'); {first}\n{SETTINGS}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env=os.environ | environment,
        text=True,
        capture_output=True,
        check=True,
    )
    return done.stdout.split(" "), done.stderr


@pytest.mark.parametrize("first", FIRST)
def test_numba_reads_no_settings_from_the_current_folder(first, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".numba_config.yaml").write_text("")
    (tmp_path / "yaml.py").write_text(
        "def safe_load(file): return {'disable_jit': 1, 'cache_dir': '/tmp/theirs'}"
    )
    (disabled, folder, _), said = at_import(tmp_path / "here", first, PYTHONPATH=str(tmp_path))
    assert (disabled, folder) == ("0", "")
    assert said.splitlines() == [
        ".numba_config.yaml in the current folder is not read. Set variables of the environment "
        "instead."
    ]


def test_compiled_code_is_not_looked_for_in_the_current_folder(tmp_path):
    (_, folder, _), said = at_import(tmp_path, NUMBA_CACHE_DIR="theirs")
    assert folder == ""
    assert "NUMBA_CACHE_DIR is 'theirs', no whole path" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", ["0", "-1", "abc", "99999"])
def test_a_number_of_threads_that_is_none_is_ignored_with_one_line(count, tmp_path):
    (_, _, threads), said = at_import(tmp_path, NUMBA_NUM_THREADS=count)
    assert int(threads) == len(os.sched_getaffinity(0))
    assert said.count("\n") == 1


def test_another_variable_that_numba_cannot_read_is_one_line(tmp_path):
    _, said = at_import(tmp_path, NUMBA_OPT="fast")
    assert said.startswith(
        "numba: Environment variable 'NUMBA_OPT' is defined but its associated value 'fast'"
    )
    assert said.count("\n") == 1
