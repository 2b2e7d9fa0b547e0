#!/usr/bin/env python3
"""sbom.py JSDIV [OUT]: what the built program consists of, as CycloneDX 1.5 JSON: the shared libraries that it loads and the
header-only ones that it was compiled with, each with the version of its Debian package and the licence that
docs/dependencies.md gives."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["libeigen3-dev", "nlohmann-json3-dev", "libcli11-dev", "libfast-float-dev"]


def licences():
    """Package -> licence, from the table of docs/dependencies.md."""
    found = {}
    for line in (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[2] not in ("licence", "---"):
            for package in re.findall(r"`([\w.+-]+)`", cells[0]):
                found[package] = cells[2]
    return found


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def package_of(library):
    """The Debian package that a library comes from; Debian lists it under / or under /usr."""
    path = str(pathlib.Path(library).resolve())
    for candidate in (path, path.removeprefix("/usr"), "/usr" + path):
        owner = output("dpkg", "-S", candidate)
        if owner:
            return owner.split(":")[0].split(",")[0]
    return None


def component(package, licence):
    source, version = output("dpkg-query", "-W", "-f", "${source:Package} ${Version}", package).split() or ("", "")
    entry = {"type": "library", "name": package, "version": version, "purl": f"pkg:deb/debian/{package}@{version}",
             "properties": [{"name": "debian:source", "value": source}]}
    if licence:
        entry["licenses"] = [{"expression": licence}]
    return entry


def main():
    binary = sys.argv[1]
    version = output(binary, "--version").split()[-1]
    libraries = re.findall(r"=> (/\S+)", output("ldd", binary))
    packages = sorted({package for package in map(package_of, libraries) if package} | set(HEADERS))
    known = licences()
    missing = [package for package in packages if package not in known]
    if missing:
        sys.exit("docs/dependencies.md gives no licence of " + ", ".join(missing))
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "jsdiv", "version": version}},
        "components": [component(package, known[package]) for package in packages],
    }
    text = json.dumps(document, indent=2) + "\n"
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")
        print(f"{len(packages)} components in {sys.argv[2]}")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
