"""Make the frozen program, and what people install it from.

    python3 packaging/bootstrap.py freeze --out DIR

DIR gets the folder `emberscope`, on macOS `Emberscope.app` too, a pack of it (.tar.xz; .zip on
Windows), on Linux a Debian package, and their SHA-256 sums. The list of parts and the page of
licenses lie inside. Two builds of one commit in the same folder with the same libraries give the
same packs: names are sorted, times are those of the commit.
"""

import argparse
import gzip
import hashlib
import io
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

from compiled import compile_kernels, compile_modules, draw_icon
from contents import licenses_page, parts_list, parts_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = (
    ("engine", "emberscope"), ("app", "emberscope_app"), ("resources", "emberscope_resources"),
)  # fmt: skip
_BEGINNING = 315532800  # 1980, where no commit says when
# Libraries of the system that Qt needs to open a window.
_NEEDS = (
    "libc6, libgl1, libegl1, libxcb-cursor0, libxcb-icccm4, libxcb-image0, libxcb-keysyms1, "
    "libxcb-randr0, libxcb-render-util0, libxcb-shape0, libxcb-xkb1, libxkbcommon-x11-0, "
    "libdbus-1-3, libfontconfig1"
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bootstrap.py freeze")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder [dist]")
    parser.add_argument("--folder-only", action="store_true", help="make no packs")
    a = parser.parse_args(arguments)
    out, when = a.out.resolve(), commit_time()
    out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT / "engine"))
    from emberscope import __version__

    version = version_of(__version__, git("tag", "--points-at", "HEAD").split(),
                         git("rev-parse", "--short=8", "HEAD").strip())
    folder = build(out, when, version)
    print(f"{folder}: {size_of(folder) / 2**20:.0f} MiB", flush=True)
    if a.folder_only:
        return 0
    packs = packs_of(folder, out, when, version)
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in packs)
    (out / "SHA256SUMS").write_text(sums, encoding="utf-8")
    for path in packs:
        print(f"{path}: {path.stat().st_size / 2**20:.0f} MiB", flush=True)
    return 0


def packs_of(folder: Path, out: Path, when: int, version: str) -> list[Path]:
    """What people get, by system."""
    machine = platform.machine()
    if sys.platform == "win32":
        return [zipped(folder, out / f"emberscope-{version}-windows-{machine}.zip", when)]
    if sys.platform == "darwin":
        app = out / "Emberscope.app"
        return [pack(app, out / f"emberscope-{version}-macos-{machine}.tar.xz", when)]
    return [
        pack(folder, out / f"emberscope-{version}-linux-{machine}.tar.xz", when),
        debian(folder, out / f"emberscope_{version}_{debian_name(machine)}.deb", when, version),
    ]


def version_of(written: str, tags: list[str], commit: str) -> str:
    """The version that a pack carries: that of the tag of its commit, v1.2.3, else the one that is
    written in the program with the commit behind it, 1.2.3+gabcdef12. A tag that says another than
    the program ends the build."""
    named = [tag.removeprefix("v") for tag in tags if re.fullmatch(r"v?\d+(\.\d+)+\S*", tag)]
    if named and named != [written]:
        sys.exit(f"freeze: the commit is tagged {', '.join(named)}, and the program says {written}."
                 " Write the version of the tag into emberscope/__init__.py.")
    return written if named or not commit else f"{written}+g{commit}"


def git(*arguments: str) -> str:
    """What git says of this checkout; "" where it is none."""
    if shutil.which("git") is None:
        return ""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=False).stdout  # fmt: skip


def commit_time() -> int:
    """Seconds since 1970 of the last commit, so that a later build of it is the same."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    asked = git("log", "-1", "--format=%ct").strip()
    return int(asked) if asked.isdigit() else _BEGINNING


def build(out: Path, when: int, version: str) -> Path:
    """The folder that PyInstaller makes, with what is made for it first."""
    work, made = out / "build", out / "made"
    inside = made / "inside"
    shutil.rmtree(made, ignore_errors=True)
    inside.mkdir(parents=True)
    alike = {"SOURCE_DATE_EPOCH": str(when), "PYTHONHASHSEED": "1"}
    compile_modules([ROOT / where / name for where, name in OURS], inside, alike)
    print(f"{compile_kernels(inside / 'kernels', alike)} kernels", flush=True)
    draw_icon(HERE / "emberscope.svg", made / "icon.png")
    parts = parts_of(["emberscope"])
    about = {"LICENSES.txt": licenses_page(parts), "parts.cdx.json": parts_list(version, parts)}
    for name, text in about.items():
        (inside / name).write_text(text, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
         "--distpath", out, "--workpath", work, HERE / "emberscope.spec"],
        check=True, cwd=out,
        env=os.environ | alike | {"EMBERSCOPE_MADE": str(made)},
    )  # fmt: skip
    folder = out / "emberscope"
    for name in about:  # where people look first
        shutil.copyfile(inside / name, folder / name)
    shutil.rmtree(work)
    shutil.rmtree(made)
    return folder


def members(folder: Path, under: str) -> list[tuple[str, Path]]:
    """(name in the pack, path) of all that a folder holds, sorted."""
    found = sorted(path for path in folder.rglob("*") if not is_left(path))
    return [(f"{under}/{path.relative_to(folder).as_posix()}", path) for path in found]


def is_left(path: Path) -> bool:
    """Whether a file was made by a start of the program: beside its bytecode lies nothing else."""
    if path.name == "__pycache__":
        return not any(path.glob("*.pyc"))
    return "__pycache__" in path.parts and path.suffix != ".pyc"


def write_tar(stream: io.BufferedIOBase, entries: list[tuple[str, Path]], when: int) -> None:
    """The same bytes for the same files, whoever made them and when. In the format of GNU, for long
    names: dpkg knows no other."""
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, path in entries:
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mtime = when
            info.mode = 0o755 if info.isdir() or os.access(path, os.X_OK) else 0o644
            if info.isreg():
                with path.open("rb") as content:
                    tar.addfile(info, content)
            else:
                tar.addfile(info)


def pack(folder: Path, path: Path, when: int) -> Path:
    """A .tar.xz of the folder."""
    with lzma.open(path, "wb", preset=6) as stream:
        write_tar(stream, members(folder, folder.name), when)
    return path


def zipped(folder: Path, path: Path, when: int) -> Path:
    """A .zip of the folder, which Windows opens by itself."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, entry in members(folder, folder.name):
            if entry.is_file():
                info = zipfile.ZipInfo(name, time.gmtime(max(when, _BEGINNING))[:6])
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, entry.read_bytes())
    return path


def debian(folder: Path, path: Path, when: int, version: str) -> Path:
    """A Debian package: the program in /opt, its command, icon, file type and entry in menus."""
    beside = path.with_suffix(".beside")
    shutil.rmtree(beside, ignore_errors=True)
    share = beside / "usr" / "share"
    places = {
        "emberscope.desktop": share / "applications",
        "emberscope-mime.xml": share / "mime" / "packages",
        "emberscope.svg": share / "icons" / "hicolor" / "scalable" / "apps",
    }
    for name, place in places.items():
        place.mkdir(parents=True)
        shutil.copy(HERE / name, place / name.replace("-mime", ""))
    pages = {
        "emberscope.1": share / "man" / "man1",
        "emberscope": share / "bash-completion" / "completions",
        "_emberscope": share / "zsh" / "vendor-completions",
    }
    for name, place in pages.items():
        place.mkdir(parents=True)
        shutil.copy(HERE.parent / "command" / name, place / name)
    command = beside / "usr" / "bin" / "emberscope"
    command.parent.mkdir(parents=True)
    command.symlink_to("/opt/emberscope/emberscope")
    control = beside / "control"
    control.write_text(
        f"Package: emberscope\nVersion: {version}\n"
        f"Architecture: {debian_name(platform.machine())}\n"
        f"Maintainer: Emberscope <emberscope@localhost>\nSection: science\nPriority: optional\n"
        f"Installed-Size: {size_of(folder) // 1024}\nDepends: {_NEEDS}\n"
        "Description: label infrared imagery loosely, see the manifold\n",
        encoding="utf-8",
    )
    inner = io.BytesIO()
    write_tar(inner, [("./control", control)], when)
    data = [entry for entry in members(beside, ".") if entry[0] != "./control"]
    data += [("./opt", folder), ("./opt/emberscope", folder), *members(folder, "./opt/emberscope")]
    with lzma.open(path.with_suffix(".data"), "wb", preset=6) as stream:
        write_tar(stream, data, when)
    with path.open("wb") as stream:
        stream.write(b"!<arch>\n")
        add_part(stream, "debian-binary", b"2.0\n", when)
        add_part(stream, "control.tar.gz", gzip.compress(inner.getvalue(), mtime=when), when)
        add_part(stream, "data.tar.xz", path.with_suffix(".data").read_bytes(), when)
    path.with_suffix(".data").unlink()
    shutil.rmtree(beside)
    return path


def add_part(stream: io.BufferedIOBase, name: str, content: bytes, when: int) -> None:
    """One file of an ar archive."""
    head = f"{name:<16}{when:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
    stream.write(head.encode() + content + b"\n" * (len(content) % 2))


def debian_name(machine: str) -> str:
    """How Debian calls a processor."""
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def size_of(folder: Path) -> int:
    """Bytes of its files; what links name counts once."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
