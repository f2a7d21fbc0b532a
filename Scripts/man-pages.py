#!/usr/bin/env python3
"""Writes the manual pages of pippin, from what the program says of itself.

    Scripts/man-pages.py PROGRAM FOLDER

A page for the program and one for each command, pippin-crawl.1 and so on; commands inside of commands stand on the page of the
outer one. The source is swift-argument-parser's --experimental-dump-help (serialization version 0).
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import time


def text(words):
    """Text for roff: nothing in it is taken for a request, an escape or a typographic sign."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in words.split("\n"))


def names(argument):
    return [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names") or []]


def value(argument):
    return argument.get("valueName") or "value"


def described(argument):
    words = argument.get("abstract") or ""
    if argument.get("allValues") and not all(each in words for each in argument["allValues"]):
        words += f" One of {', '.join(argument['allValues'])}."
    if argument.get("defaultValue") and argument["kind"] != "flag":
        words += f" Without it: {argument['defaultValue']}."
    return words.strip()


def shown(command):
    """The arguments of a command that its own help shows."""
    return [each for each in command.get("arguments") or [] if each.get("shouldDisplay", True)]


def synopsis(command, path):
    parts = [f".B {text(' '.join(path))}"]
    arguments = shown(command)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR")
    if any(each["kind"] != "positional" for each in arguments):
        parts.append("[\\fIoptions\\fR]")
    for each in arguments:
        if each["kind"] == "positional":
            word = f"\\fI{text(value(each))}\\fR" + (" ..." if each.get("isRepeating") else "")
            parts.append(f"[{word}]" if each.get("isOptional") else word)
    return parts[0] + "\n" + "\n".join(parts[1:])


def discussion(words):
    """Paragraphs; indented lines, such as examples and tables, stay as they are."""
    lines, block = [], []

    def end():
        if not block:
            return
        if block[0].startswith("  "):
            lines.extend([".PP", ".nf", ".RS 2", *(text(line[2:]) for line in block), ".RE", ".fi"])
        else:
            lines.append(".PP")
            for number, line in enumerate(block):
                # "csv: a table …" begins a line of its own.
                if number > 0 and re.match(r"[a-z][a-z-]*: ", line):
                    lines.append(".br")
                lines.append(text(line))
        block.clear()

    for line in words.split("\n"):
        if not line.strip() or (block and line.startswith("  ") != block[0].startswith("  ")):
            end()
        if line.strip():
            block.append(line)
    end()
    return lines


def options(command):
    lines, section = [], None
    arguments = shown(command)
    # Those without a section first: after a heading they would seem to belong to it.
    sections = list(dict.fromkeys([None, *(each.get("sectionTitle") for each in arguments)]))
    for each in sorted(arguments, key=lambda each: sections.index(each.get("sectionTitle"))):
        if each.get("sectionTitle") != section:
            section = each.get("sectionTitle")
            if section:
                lines += [".SS " + text(section)]
        head = ", ".join(f"\\fB{text(name)}\\fR" for name in names(each))
        if each["kind"] == "option":
            head += f" \\fI{text(value(each))}\\fR"
        elif each["kind"] == "positional":
            head = f"\\fI{text(value(each))}\\fR"
        lines += [".TP", head, text(described(each)) or "\\&"]
    return lines


def page(command, path, version, date, others):
    name = "-".join(path)
    lines = [
        f'.TH "{text(name.upper())}" "1" "{date}" "pippin {version}" "Pippin"', ".SH NAME",
        f"{text(name)} \\- {text((command.get('abstract') or '').rstrip('.'))}", ".SH SYNOPSIS", synopsis(command, path),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *discussion(command["discussion"])]
    if shown(command):
        lines += [".SH OPTIONS", *options(command)]
    inner = [each for each in command.get("subcommands") or [] if each.get("shouldDisplay", True) and each["commandName"] != "help"]
    if inner:
        lines.append(".SH COMMANDS")
    for each in inner:
        if len(path) == 1:
            lines += [".TP", f"\\fB{text(name)}\\-{text(each['commandName'])}\\fR(1)", text(each.get("abstract") or "")]
        else:
            lines += [".SS " + text(" ".join([*path, each["commandName"]])), text(each.get("abstract") or ""), ".PP",
                      synopsis(each, [*path, each["commandName"]]), *discussion(each.get("discussion") or ""), *options(each)]
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{text(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    told = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    if told["serializationVersion"] != 0:
        sys.exit(f"man-pages: the program describes itself in version {told['serializationVersion']}, which is not known here")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    folder.mkdir(parents=True, exist_ok=True)
    root = told["command"]
    commands = [each for each in root["subcommands"] if each.get("shouldDisplay", True) and each["commandName"] != "help"]
    pages = [(root, ["pippin"])] + [(each, ["pippin", each["commandName"]]) for each in commands]
    all_names = ["-".join(path) for _, path in pages]
    for command, path in pages:
        name = "-".join(path)
        others = all_names[1:] if path == ["pippin"] else ["pippin"]
        body = page(command, path, version, date, others).encode()
        with open(folder / f"{name}.1.gz", "wb") as file:
            # Without name and time, so that the same program gives the same bytes.
            with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
                packed.write(body)
    print(f"{len(pages)} manual pages in {folder}")


main()
