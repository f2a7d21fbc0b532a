#!/usr/bin/env python3
"""Writes what a built pippin consists of, as SPDX 2.3 in JSON (ISO/IEC 5962).

    Scripts/sbom.py PROGRAM VERSION CHECKOUTS RESOLVED > pippin.spdx.json

The program with its digest; the Swift packages of Package.resolved that were built for it, with the licences of their checkouts; and the
system libraries that it names, with the packages that have them here.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import typing

Element = dict[str, typing.Any]
#: Words of licences that no other one has, and their names in SPDX's list.
LICENCES: typing.Final = [
    ("Apache License", "Apache-2.0"), ("Permission is hereby granted, free of charge", "MIT"),
    ("Permission to use, copy, modify, and distribute this software", "ISC"), ("Redistributions in binary form", "BSD-3-Clause"),
    ("public domain", "blessing"),
]  # fmt: skip


def licence(folder: pathlib.Path) -> str:
    for file in sorted([*folder.glob("LICEN[CS]E*"), *folder.glob("COPYING*")]):
        text = " ".join(file.read_text(errors="replace").split())
        for words, name in LICENCES:
            if words.lower() in text.lower():
                return name
    return "NOASSERTION"


def identifier(kind: str, name: str) -> str:
    return "SPDXRef-" + kind + "-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def is_built(checkout: pathlib.Path, build: pathlib.Path) -> bool:
    """Whether a target of a package was built. Packages that others need for what we do not use are resolved, but not built."""
    # SwiftPM makes the folders of all targets, also of those that it does not build.
    return any(next((build / f"{folder.name}.build").rglob("*.o"), None) for folder in [*checkout.glob("*/"), *checkout.glob("Sources/*/")])


def swift_packages(resolved: pathlib.Path, checkouts: pathlib.Path, build: pathlib.Path) -> list[Element]:
    packages = []
    for pin in json.loads(resolved.read_text())["pins"]:
        location, state = pin["location"], pin["state"]
        version = state.get("version") or state["revision"]
        name = location.rstrip("/").removesuffix(".git").rpartition("/")[2]
        if not is_built(checkouts / name, build):
            continue
        path = re.sub(r"^[a-z]+://|\.git$", "", location)
        packages.append({
            "SPDXID": identifier("Swift", pin["identity"]), "name": name, "versionInfo": version, "downloadLocation": f"git+{location}@{state['revision']}",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence(checkouts / name), "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:swift/{path}@{version}"}],
        })  # fmt: skip
    return packages


def system_packages(program: pathlib.Path) -> list[Element]:
    """Those that have the shared libraries."""
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    files = sorted({os.path.realpath(found) for found in re.findall(r"=> (/\S+)", listed)})
    packages = {}
    for file in files:
        # Debian's packages have the paths with and without /usr.
        for path in (file, file.removeprefix("/usr")):
            owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
            if owner.returncode == 0:
                name = owner.stdout.split(": ")[0].split(",")[0]
                version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], check=True, capture_output=True, text=True).stdout
                bare = name.split(":")[0]
                packages[bare] = {
                    "SPDXID": identifier("Debian", bare), "name": bare, "versionInfo": version, "downloadLocation": "NOASSERTION",
                    "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                    "externalRefs": [
                        {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{bare}@{version.replace('+', '%2B').replace(':', '%3A')}"}
                    ],
                }  # fmt: skip
                break
        else:
            sys.exit(f"sbom: no package has {file}")
    return [packages[name] for name in sorted(packages)]


def main() -> None:
    program, version, checkouts, resolved = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), datetime.timezone.utc)
    linked, shared = swift_packages(resolved, checkouts, checkouts.parent / "release"), system_packages(program)
    own = {
        "SPDXID": "SPDXRef-pippin", "name": "pippin", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }  # fmt: skip
    relations = [
        ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-pippin"),
        *(("SPDXRef-pippin", "STATIC_LINK", package["SPDXID"]) for package in linked),
        *(("SPDXRef-pippin", "DYNAMIC_LINK", package["SPDXID"]) for package in shared),
    ]
    json.dump(
        {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pippin-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/pippin-{version}-{digest[:32]}",
            "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: pippin-sbom"]},
            "packages": [own, *linked, *shared],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
        },
        sys.stdout, indent=1, sort_keys=True,
    )  # fmt: skip
    print()


main()
