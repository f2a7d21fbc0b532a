#!/usr/bin/env python3
"""Writes the manual pages of pippin, from what the program says of itself.

    Scripts/man-pages.py PROGRAM FOLDER

A page for the program and one for each command, pippin-crawl.1 and so on; commands inside of commands stand on the page of the
outer one. The source is swift-argument-parser's --experimental-dump-help (serialization version 0). pippin-config.5 is crawl-config.yaml,
which says of each key what it means.
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


def parted(words):
    """A discussion without its paragraph on the exit status, and that: pairs of status and meaning."""
    statuses, rest = [], []
    for paragraph in words.split("\n\n"):
        if paragraph.startswith("Exit status: "):
            found = re.split(r"(?:^|, )(\d+) ", " ".join(paragraph[len("Exit status: "):].split()))
            statuses = list(zip(found[1::2], (each.rstrip(".") for each in found[2::2])))
        else:
            rest.append(paragraph)
    return "\n\n".join(rest), statuses


#: Variables, with the option of commands that read them.
ENVIRONMENT = [
    ("PIPPIN_CONTACT", "contact", "The contact for site owners, where neither --contact nor agent.contact names one."),
    ("PIPPIN_TOKEN", "token-file", "The token, in place of --token-file."),
    ("NO_COLOR", "format", "If it is set and not empty, reports for a terminal have no colors."),
]
FILES = [
    ("crawl-config.yaml", "The job, see \\fBpippin\\-config\\fR(5). Commands look for it in the working folder."),
    ("seeds.txt", "Where a crawl starts: an address a line."),
    ("crawl-data", "The job's storage: what is known of each URL, records, the search index."),
    ("pippin.yaml", "Settings of a site for \\fBpippin\\-validate\\fR(1)."),
]


def listed(title, rows):
    lines = [f".SH {title}"] if rows else []
    for name, meaning in rows:
        lines += [".TP", f"\\fB{text(name)}\\fR", meaning]
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
    words, statuses = parted(command.get("discussion") or "")
    if words.strip():
        lines += [".SH DESCRIPTION", *discussion(words)]
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
    lines += listed("EXIT STATUS", [(status, text(meaning)) for status, meaning in statuses])
    own = {name["name"] for each in shown(command) for name in each.get("names") or []}
    is_root = len(path) == 1
    lines += listed("ENVIRONMENT", [(name, text(meaning)) for name, option, meaning in ENVIRONMENT if is_root or option in own])
    if is_root or "config" in own or "storage" in own:
        lines += listed("FILES", FILES)
    sections = [*((other, 1) for other in others), ("pippin-config", 5)]
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{text(other)}\\fR({section})" for other, section in sections)]
    return "\n".join(lines) + "\n"


def configuration(version, date):
    """The page of the configuration file."""
    example = (pathlib.Path(__file__).parents[1] / "crawl-config.yaml").read_text().splitlines()
    return "\n".join([
        f'.TH "PIPPIN\\-CONFIG" "5" "{date}" "pippin {version}" "Pippin"', ".SH NAME", "pippin\\-config \\- the configuration of a crawl",
        ".SH DESCRIPTION", "A YAML file. \\fBpippin crawl\\fR without URLs reads \\fIcrawl\\-config.yaml\\fR in the working folder, or what",
        "\\fB\\-\\-config\\fR names. A key that is not known is an error, with its line.", ".PP", ".nf",
        *(text(line) for line in example), ".fi", ".SH SEE ALSO", "\\fBpippin\\-crawl\\fR(1)",
    ]) + "\n"


def write(file, body):
    with open(file, "wb") as target:
        # Without name and time, so that the same program gives the same bytes.
        with gzip.GzipFile("", "wb", 9, target, mtime=0) as packed:
            packed.write(body.encode())


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
        write(folder / f"{name}.1.gz", page(command, path, version, date, others))
    write(folder / "pippin-config.5.gz", configuration(version, date))
    print(f"{len(pages) + 1} manual pages in {folder}")


main()
