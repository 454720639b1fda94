"""What is inside the frozen program: a page of licenses, and a list of parts (CycloneDX 1.5)."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

_LICENSES = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_NAMESPACE = uuid.UUID("6f0c3c2e-5d0b-4b9e-9a86-0c4d3c1f7f51")


def parts_of(names: Iterable[str]) -> list[metadata.Distribution]:
    """The distributions with these names and all that they need here, by name."""
    found: dict[str, metadata.Distribution] = {}
    left = list(names)
    while left:
        name = left.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            part = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # of another system, or of an extra
            continue
        found[name] = part
        needed = [one for one in part.requires or [] if "extra ==" not in one]
        left += [_name_in(one) for one in needed]
    return [found[name] for name in sorted(found)]


def licenses_page(parts: Iterable[metadata.Distribution]) -> str:
    """Every part with its version, the license it names, and the words of its license files."""
    return "\n".join(_of_part(part) for part in parts)


def parts_list(version: str, parts: Iterable[metadata.Distribution]) -> str:
    """The parts as CycloneDX JSON; the same for the same parts."""
    components = [
        {
            "type": "library",
            "name": part.name,
            "version": part.version,
            "purl": f"pkg:pypi/{part.name.lower()}@{part.version}",
            "licenses": [{"license": {"name": license_of(part)}}],
        }
        for part in parts
    ]
    digest = hashlib.sha256(json.dumps(components).encode()).hexdigest()
    found = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, digest)}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "emberscope", "version": version}
        },
        "components": components,
    }
    return json.dumps(found, indent=1) + "\n"


def license_of(part: metadata.Distribution) -> str:
    """What a distribution says of its license, in one line."""
    about = part.metadata
    classes = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or []
        if line.startswith("License ::")
    ]  # fmt: skip
    said = about.get("License-Expression") or ", ".join(classes) or about.get("License") or ""
    return said.strip().splitlines()[0] if said.strip() else "see its files"


def _of_part(part: metadata.Distribution) -> str:
    head = f"{part.name} {part.version}: {license_of(part)}"
    lines = [head, "=" * len(head), ""]
    for name, text in _license_files(part):
        lines += [f"--- {name}", "", text.strip(), ""]
    return "\n".join(lines)


def _license_files(part: metadata.Distribution) -> Iterator[tuple[str, str]]:
    for file in sorted(part.files or [], key=str):
        if file.name.upper().startswith(_LICENSES) and ".py" not in file.suffix:
            path = Path(str(part.locate_file(file)))
            if path.is_file():
                yield file.name, path.read_text(encoding="utf-8", errors="replace")


def _name_in(requirement: str) -> str:
    """"numpy" of "numpy>=2.0,<3; python_version > '3.10'"."""
    end = next((k for k, sign in enumerate(requirement) if sign in " <>=!~;[("), len(requirement))
    return requirement[:end]
