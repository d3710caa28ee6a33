#!/usr/bin/env python3
"""Makes man pages of the parser's own description: aasa-monitor --experimental-dump-help | manual.py FOLDER VERSION DATE"""

import json
import os
import re
import sys

PROGRAM = "aasa-monitor"
SHARED = """.SH EXIT STATUS
0: nothing at severity error. 1: at least one error finding. 64: usage. 65: a source is not an association file. 66: an input file is
missing or cannot be read. 70: a fault of the program or its machine. 78: configuration. 130: interrupted. 141: the reader of a command
that would have gone on has gone.
.SH FILES
.TP
.I /etc/aasa\\-monitor/monitor.yaml
The configuration of the service.
.TP
.I /var/lib/aasa\\-monitor/aasa\\-monitor.db
Its store.
.SH SEE ALSO
The documents in
.IR /usr/share/doc/aasa\\-monitor ,
and {others}.
"""


def text(words):
    """Words as roff shows them: no escape, no request, hyphens that can be copied."""
    lines = re.sub(r"`([^`]*)`", r"\1", words).replace("\\", r"\e").replace("-", r"\-").split("\n")
    return "\n".join(r"\&" + line if line[:1] in (".", "'") else line for line in lines)


def paragraphs(words):
    return "\n.PP\n".join(text(part.strip()) for part in words.split("\n\n"))


def name(argument):
    """An option as it is typed, such as -q, --quiet."""
    typed = [("--" if given["kind"] == "long" else "-") + given["name"] for given in argument.get("names", [])]
    value = argument["valueName"]
    if argument["kind"] == "positional":
        return f"\\fI{text(value)}\\fR" + ("..." if argument["isRepeating"] else "")
    shown = ", ".join(f"\\fB{text(given)}\\fR" for given in typed)
    return shown + (f" \\fI{text(value)}\\fR" if argument["kind"] == "option" else "")


def visible(command, key):
    return [each for each in command.get(key, []) if each.get("shouldDisplay", True)]


def own_arguments(command):
    return [each for each in visible(command, "arguments") if each["valueName"] not in ("help", "version")]


def describe(argument):
    words = argument.get("abstract", "")
    default = argument.get("defaultValue")
    if default and argument["kind"] != "flag" and "default" not in words:
        words += f" (default: {default})"
    return f".TP\n{name(argument)}\n{text(words) or text(argument['valueName'])}\n"


def synopsis(path, command):
    parts = []
    for argument in own_arguments(command):
        shown = name(argument).split(", ")[-1]
        parts.append(f"[{shown}]" if argument["isOptional"] else shown)
    if command.get("subcommands"):
        parts = ["\\fIsubcommand\\fR"] + parts
    return f"\\fB{text(' '.join(path))}\\fR {' '.join(parts)}\n"


def sections(path, command):
    """The options of a command, and its subcommands with theirs."""
    page = ""
    own = visible(command, "arguments")
    if own:
        page += ".SH OPTIONS\n" + "".join(map(describe, own))
    inner = visible(command, "subcommands")
    if inner:
        page += ".SH SUBCOMMANDS\n"
    for each in inner:
        words = each.get("abstract", "")
        if each.get("discussion"):
            words += "\n\n" + each["discussion"]
        page += f".SS {text(' '.join(path + [each['commandName']]))}\n{synopsis(path + [each['commandName']], each)}.PP\n"
        page += paragraphs(words) + "\n"
        page += "".join(map(describe, own_arguments(each)))
    return page


def page(path, command, others, version, date):
    title = "-".join(path)
    words = command.get("abstract", "").rstrip(".")
    result = f'.TH "{text(title.upper())}" 1 "{date}" "{PROGRAM} {version}" "User Commands"\n'
    result += f".SH NAME\n{text(title)} \\- {text(words[:1].lower() + words[1:])}\n"
    result += f".SH SYNOPSIS\n{synopsis(path, command)}"
    if command.get("discussion"):
        result += f".SH DESCRIPTION\n{paragraphs(command['discussion'])}\n"
    if len(path) == 1:
        result += ".SH COMMANDS\n"
        for each in visible(command, "subcommands"):
            if each["commandName"] != "help":
                result += f".TP\n.BR {text(PROGRAM + '-' + each['commandName'])} (1)\n{text(each.get('abstract', ''))}\n"
        command = {key: value for key, value in command.items() if key != "subcommands"}
    return result + sections(path, command) + SHARED.format(others=others)


def main(folder, version, date):
    root = json.load(sys.stdin)["command"]
    os.makedirs(folder, exist_ok=True)
    pages = {PROGRAM: page([PROGRAM], root, text("the pages of its commands"), version, date)}
    for command in visible(root, "subcommands"):
        if command["commandName"] != "help":
            path = [PROGRAM, command["commandName"]]
            pages["-".join(path)] = page(path, command, f"\\fB{text(PROGRAM)}\\fR(1)", version, date)
    for title, content in pages.items():
        with open(os.path.join(folder, title + ".1"), "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
