#!/usr/bin/env python3
"""Writes the table of HTML's named character references into the sources.

    Scripts/named-references.py

The names are those of WHATWG HTML §13.5, which Python's standard library carries (html.entities.html5).
"""
import html.entities
import pathlib

WIDTH = 112
FILE = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "PippinPage" / "HTML" / "Generated" / "NamedReferences+Table.swift"
HEADER = '''\
// Made by Scripts/named-references.py: HTML's named character references (WHATWG HTML §13.5), in the order of their bytes.

extension NamedReferences {
    /// `name=code points in hexadecimal`; `name!=…` may also be written without its semicolon.
    static let table: StaticString = """
'''


def entries():
    references = html.entities.html5
    for name in sorted(name[:-1] for name in references if name.endswith(";")):
        value = references[name + ";"]
        if name in references:
            assert references[name] == value, name
        points = "+".join(f"{ord(character):X}" for character in value)
        yield f"{name}{'!' if name in references else ''}={points}"


def lines():
    line = ""
    for entry in entries():
        if line and len(line) + 1 + len(entry) > WIDTH:
            yield line
            line = ""
        line = f"{line} {entry}" if line else entry
    yield line


FILE.write_text(HEADER + "".join(f"        {line}\n" for line in lines()) + '        """\n}\n', encoding="utf-8")
