#!/usr/bin/env python3
"""From a clean clone to a working Emberscope, with the standard library alone.

    python3 packaging/bootstrap.py demo [--headless] [--out DIR]   the generated scene, whole loop
    python3 packaging/bootstrap.py test [PYTEST ARGUMENTS]         all tests
    python3 packaging/bootstrap.py run [FILES or PROJECT]          the desktop application
    python3 packaging/bootstrap.py bench [NAMES]                   the benchmarks, as a table
    python3 packaging/bootstrap.py lint                            style, types, imports, spelling
    python3 packaging/bootstrap.py freeze [--out DIR]              a program that needs no Python
    python3 packaging/bootstrap.py pages                           pages made from code
    python3 packaging/bootstrap.py site [--out DIR]                the documentation as a site

--python 3.13 after any of them takes that Python, in an environment of its own (.venv-3.13).
The first call creates .venv beside this folder and installs into it; later calls reuse it until
pyproject.toml changes. System libraries that Qt needs are installed where that is allowed (Debian
and relatives, as root or with password-less sudo); elsewhere the exact command is printed.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BASE = ""  # the Python that was asked for; "": this one, or one that is found
NEWEST, OLDEST = (3, 14), (3, 11)
# Python takes no module from the folder that bootstrap was called in, nor from the variables of
# Python
ALONE = ("-I",)

# Measured on Debian 12: what a real Qt window with OpenGL needs under a virtual display.
DEBIAN_QT = [
    "xvfb",
    "xauth",
    "libgl1",
    "libegl1",
    "libgl1-mesa-dri",
    "libopengl0",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-shape0",
    "libxcb-xkb1",
    "libxkbcommon-x11-0",
    "libdbus-1-3",
    "libfontconfig1",
    "fonts-inter",
    "fonts-jetbrains-mono",
]
# What only a real display shows: the platform's windows, keyboard focus and OpenGL. Moves of a real
# pointer arrive when they please, so the tests of single widgets stay in memory.
WINDOW_TESTS = [
    "tests/app/test_loop.py", "tests/app/test_linked_views.py", "tests/app/test_label_kinds.py",
    "tests/app/shell/test_window.py", "tests/app/latent_view/surfaces/test_map3d.py",
]
# Makes a tiny run of every method. It comes before all others: processes that start at once would
# each compile every kernel anew.
KERNEL_TESTS = "tests/engine/jobs/test_warm.py"
QT_PROBE = (
    "from PySide6 import QtGui, QtWidgets, QtOpenGL, QtSvg, QtOpenGLWidgets; "
    "QtWidgets.QApplication([])"
)


def main(arguments: list[str]) -> int:
    commands = {
        "demo": demo,
        "test": test,
        "run": run,
        "bench": bench,
        "lint": lint,
        "freeze": freeze,
        "pages": pages,
        "site": site,
    }
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        if arguments in ([], ["-h"], ["--help"]):
            return 0
        print(f"bootstrap: {arguments[0]} is none of these words")
        return 2
    # Bytecode is kept, whatever the caller does: pip makes none, to save half of its time for files
    # nobody imports, and tests start hundreds of processes that would each compile the engine anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        return commands[arguments[0]](take_version(arguments[1:]))
    except subprocess.CalledProcessError as error:
        print(
            f"bootstrap: this command failed with exit code {error.returncode}: "
            f"{' '.join(map(str, error.cmd))}"
        )
        return 1
    except KeyboardInterrupt:
        return 130


def take_version(arguments: list[str]) -> list[str]:
    """The arguments without "--python 3.13"; where it stands there, that Python and its environment
    are used."""
    global VENV, BASE
    if arguments[:1] != ["--python"]:
        return arguments
    wanted = arguments[1] if len(arguments) > 1 else ""
    known = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    if wanted not in known:
        sys.exit(f"bootstrap: --python takes one of {', '.join(known)}")
    BASE = find_version(wanted)
    VENV = ROOT / f".venv-{wanted}"
    return arguments[2:]


def find_version(wanted: str) -> str:
    """An interpreter of that version: on the path, of pyenv, or of uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [
        shutil.which(f"python{wanted}"),
        *sorted(pyenv.glob(f"{wanted}.*/bin/python{wanted}"), reverse=True),
    ]
    if shutil.which("uv"):
        asked = subprocess.run(
            ["uv", "python", "find", wanted], cwd=ROOT, capture_output=True, text=True, check=False
        )
        found.append(asked.stdout.strip())
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    for python in filter(None, found):  # pyenv has names on the path that lead nowhere
        answer = subprocess.run(
            [python, *ALONE, "-c", ask], capture_output=True, text=True, check=False
        )
        if answer.stdout.strip() == wanted:
            return str(python)
    sys.exit(
        f"bootstrap: there is no Python {wanted} here. One of these gets it: uv python install "
        f"{wanted}; pyenv install {wanted}; apt-get install python{wanted}-venv"
    )


def demo(arguments: list[str]) -> int:
    headless = "--headless" in arguments or not has_display()
    prepare(qt=not headless)
    return call([emberscope(), "demo", *arguments])


def run(arguments: list[str]) -> int:
    prepare(qt=True)
    return call([emberscope(), *arguments])


def test(arguments: list[str]) -> int:
    """Engine tests where Qt cannot be imported; all of the app's in memory; the whole window on a
    virtual display."""
    # At once: a second installation takes a third of the time of the first
    prepare("test", "lint", qt=True)
    pytest = [python(), "-m", "pytest"]
    if arguments:
        return call([*pytest, *arguments], of_tests(QT_QPA_PLATFORM="offscreen"))
    cores = min(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 4
    )
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # tests use every core as it is
    # Tests wait for processes, disks and timers a fifth of their time: one process more than cores.
    # Where one dies the tests end: pytest-xdist gives its files to the others, then waits forever.
    many = [*pytest, "-n", cores + 1, "--max-worker-restart", 0]
    without_qt = of_tests(EMBERSCOPE_TEST_WITHOUT_QT="1", **single)
    kernels = [*pytest, "-p", "no:pytest-qt", KERNEL_TESTS]
    if virtual_display():
        window = [*virtual_display(), *pytest, *WINDOW_TESTS]
        codes = at_once(kernels, without_qt, window, of_tests(QT_QPA_PLATFORM="xcb"))
    else:
        codes = [call(kernels, without_qt)]
    engine = [*many, "--dist", "worksteal", "-p", "no:pytest-qt", "tests/engine", "tests/packaging"]
    codes.append(call([*engine, "--ignore", KERNEL_TESTS], without_qt))
    # Windows made for a file are made once.
    app = [*many, "--dist", "loadfile", "--no-loadscope-reorder", "tests/app"]
    codes.append(call(app, of_tests(QT_QPA_PLATFORM="offscreen", **single)))
    return max(codes)


def at_once(command: list, environment: dict, other: list, environment_of_other: dict) -> list[int]:
    """Exit codes of two commands that run side by side; what the second says is printed when both
    are over."""
    with tempfile.TemporaryFile() as said:
        beside = subprocess.Popen(
            [str(part) for part in other],
            cwd=ROOT,
            env=environment_of_other,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            codes = [call(command, environment), exit_code(beside.wait())]
        except BaseException:
            os.killpg(beside.pid, signal.SIGTERM)  # the display, and what runs on it
            beside.wait()
            raise
        finally:
            said.seek(0)
            sys.stdout.flush()
            sys.stdout.buffer.write(said.read())
            sys.stdout.flush()
    return codes


def of_tests(**more: str) -> dict[str, str]:
    """The environment of tests: threads that wait as `base/process/threads.py` says."""
    return os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_THREAD_TIMEOUT": "4"} | more


def bench(arguments: list[str]) -> int:
    prepare("test", "bench", qt=True)
    return call([*virtual_display(), python(), ROOT / "packaging" / "bench", *arguments])


def lint(arguments: list[str]) -> int:
    prepare("test", "lint", qt=False)
    here = dict(os.environ)
    codes = [call([tool("ruff"), "check", "."]), call([tool("typos")])]
    codes += at_once([tool("mypy")], here, [tool("lint-imports")], here)
    return max(codes)


def pages(arguments: list[str]) -> int:
    prepare("pages", qt=False)
    return call([python(), ROOT / "packaging" / "make_help.py", *arguments])


def site(arguments: list[str]) -> int:
    prepare("site", qt=False)
    return call([python(), ROOT / "packaging" / "site" / "make_site.py", *arguments])


def freeze(arguments: list[str]) -> int:
    """In an environment of its own: what happens to be installed beside has no part in it."""
    global VENV
    VENV = ROOT / f"{VENV.name}-freeze"
    prepare("freeze", qt=False)
    return call([python(), ROOT / "packaging" / "freeze" / "freeze.py", *arguments])


def prepare(*extras: str, qt: bool) -> None:
    """The environment with the given extras, and the libraries of Qt where a window is wanted."""
    if not python().exists():
        create_environment()
    stamp = VENV / "installed"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    found = stamp.read_text().split() if stamp.exists() else [""]
    have = set(found[1:]) if found[0] == wanted else set()
    if found[0] != wanted or not set(extras) <= have:
        have |= set(extras)
        print(
            f"bootstrap: installing Emberscope into {VENV.name} (some minutes the first time)",
            flush=True,
        )
        target = f"{ROOT}[{','.join(sorted(have))}]" if have else str(ROOT)
        options = ["--quiet", "--disable-pip-version-check", "--prefer-binary", "--no-compile"]
        subprocess.run(
            [python(), *ALONE, "-m", "pip", "install", *options, "--editable", target],
            check=True,
            cwd=ROOT,
        )
        stamp.write_text(" ".join([wanted, *sorted(have)]))
    if qt:
        prepare_qt()


def create_environment() -> None:
    base = BASE or find_python()
    print(f"bootstrap: creating {VENV.name} with {base}", flush=True)
    create = [base, *ALONE, "-m", "venv", "--clear", VENV]
    made = subprocess.run(create, capture_output=True, text=True, check=False)
    if made.returncode != 0 and may_install():
        install_debian(["python3-venv"])
        made = subprocess.run(create, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        print(f"{made.stdout}{made.stderr}")
        sys.exit(f"bootstrap: cannot create {VENV}. On Debian: apt-get install python3-venv")


def find_python() -> str:
    if sys.version_info[:2] >= OLDEST:
        return sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return found
    sys.exit(
        f"bootstrap: this is Python {sys.version.split()[0]}; Emberscope needs 3.{OLDEST[1]} or "
        "newer"
    )


def prepare_qt() -> None:
    """See that a Qt window can open; install or name what is missing."""
    problem = qt_problem()
    if not problem:
        return
    if may_install():
        print("bootstrap: installing the system libraries that Qt needs", flush=True)
        install_debian(DEBIAN_QT)
        problem = qt_problem()
    if problem:
        print(f"bootstrap: Qt cannot open a window here: {problem}")
        print(
            "bootstrap: on Debian or Ubuntu this helps: sudo apt-get install -y "
            f"{' '.join(DEBIAN_QT)}"
        )
        if "offscreen" in problem:
            sys.exit(1)


def qt_problem() -> str:
    offscreen = subprocess.run(
        [python(), *ALONE, "-c", QT_PROBE],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    if offscreen.returncode != 0:
        lines = offscreen.stderr.strip().splitlines()
        return f"offscreen start fails: {lines[-1] if lines else 'no message'}"
    if not sys.platform.startswith("linux"):
        return ""
    if not has_display() and not shutil.which("xvfb-run"):
        return "there is no display and no xvfb-run"
    window = subprocess.run(
        [*virtual_display(), python(), *ALONE, "-c", QT_PROBE],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        ""
        if window.returncode == 0
        else f"a window on the display fails: {window.stderr.strip()[-200:]}"
    )


def may_install() -> bool:
    if not shutil.which("apt-get"):
        return False
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    return (
        bool(sudo)
        and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
    )


def install_debian(packages: list[str]) -> None:
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    quiet = {
        "stdout": subprocess.DEVNULL,
        "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    }
    subprocess.run([*prefix, "apt-get", "update", "-qq"], check=False, **quiet)
    for group in (packages, None):
        names = group if group is not None else available(packages)
        install = [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names]
        if subprocess.run(install, check=False, **quiet).returncode == 0:
            return


def available(packages: list[str]) -> list[str]:
    """Those that this release has: names differ a little between releases."""
    known = [
        name
        for name in packages
        if subprocess.run(["apt-cache", "show", name], capture_output=True, check=False).returncode
        == 0
    ]
    return known


def has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def virtual_display() -> list[str]:
    """The prefix that gives a command a display of its own, where there is a tool for it."""
    if sys.platform.startswith("linux") and shutil.which("xvfb-run"):
        return ["xvfb-run", "-a", "-s", "-screen 0 2560x1600x24"]
    return []


def python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def tool(name: str) -> Path:
    return VENV / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def emberscope() -> Path:
    return tool("emberscope")


def call(command: list, environment: dict | None = None) -> int:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False)
    return exit_code(done.returncode)


def exit_code(code: int) -> int:
    """As a shell says it: 128 and the signal for a command that was killed, so that the largest
    code is the worst."""
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
