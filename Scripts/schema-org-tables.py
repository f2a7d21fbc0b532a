#!/usr/bin/env python3
"""Writes the tables of schema.org's types and properties into the sources and Examples/opensearch, from the files of a release.

    Scripts/schema-org-tables.py TYPES.csv PROPERTIES.csv

The two files are a release's schemaorg-all-https-types.csv and
schemaorg-all-https-properties.csv (https://schema.org/docs/developers.html); "all" rather than "current", so that terms
that were retired are still known by name. Members of enumerations (InStock) are left out: they are values, not types.
"""
import collections
import csv
import json
import pathlib
import re
import sys

WIDTH = 112
ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Sources" / "PippinPage" / "SchemaOrg" / "Generated"
EXAMPLE = ROOT / "Examples" / "opensearch" / "types.json"


def names(cell):
    """The bare names of a list of addresses."""
    return [a.strip().rsplit("/", 1)[1] for a in cell.split(",") if a.strip().startswith("https://schema.org/")]


def rows(path):
    csv.field_size_limit(10**8)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(table):
    """`Key: name name`, broken before WIDTH, with the key again on each line."""
    for key in sorted(table):
        line = ""
        for name in sorted(table[key]):
            if line and len(line) + 1 + len(name) > WIDTH:
                yield line
                line = ""
            line = f"{line} {name}" if line else f"{key}: {name}"
        if line:
            yield line


def write(file, about, constant, table):
    text = f"// Made by Scripts/schema-org-tables.py: {about}\n\n"
    text += f"extension SchemaOrg {{\n    static let {constant}: StaticString = \"\"\"\n"
    text += "".join(f"        {line}\n" for line in lines(table)) + "        \"\"\"\n}\n"
    (FOLDER / file).write_text(text, encoding="utf-8")


def write_example(children):
    """The same types for queries of OpenSearch; what people call some of them stays."""
    types = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    types["below"] = {parent: " ".join(sorted(children[parent])) for parent in sorted(children)}
    EXAMPLE.write_text(json.dumps(types, indent=2) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    types_path, properties_path = sys.argv[1:]
    plain = re.compile(r"^[A-Za-z0-9]+$")
    children = collections.defaultdict(set)
    for row in rows(types_path):
        # A few members of enumerations (Physiotherapy) are types as well.
        parents = set(names(row["subTypeOf"])) - set(names(row["enumerationtype"]))
        if not plain.match(row["label"]) or (not parents and row["label"] != "DataType"):
            continue
        for parent in parents:
            children[parent].add(row["label"])
    write_example(children)
    properties = collections.defaultdict(set)
    for row in rows(properties_path):
        if not plain.match(row["label"]):
            continue
        # What belongs to no type any more is not held against any.
        for domain in names(row["domainIncludes"]) or ["Thing"]:
            properties[domain].add(row["label"])
    write("SchemaOrg+Hierarchy.swift", "schema.org's types, each with those right below it.", "hierarchy", children)
    write("SchemaOrg+Domains.swift", "schema.org's types, each with the properties it brings.", "domains", properties)


main()
