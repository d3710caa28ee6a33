#!/usr/bin/env python3
"""Makes man pages of the parser's own description: aasa-monitor --experimental-dump-help | manual.py FOLDER VERSION DATE"""

import json
import os
import re
import sys

PROGRAM = "aasa-monitor"
MEANINGS = {
    0: "success",
    1: "at least one error finding",
    64: "usage",
    65: "a source is not an association file",
    66: "what was named is missing or cannot be read: a file, a store, a site or a daemon",
    70: "a fault of the program or its machine",
    78: "configuration, or a store that this version cannot use",
    130: "interrupted",
    141: "the reader of the output has gone",
}
# With which codes each command ends. One that is missing here ends the build.
STORE = {0: None, 64: None, 66: None, 70: None, 78: None}
CODES = {
    "": {0: "nothing at severity error"} | {code: None for code in MEANINGS if code},
    "check": {0: "nothing at severity error", 1: None, 64: None, 66: None,
              70: "a fault of the program or its machine, or only this machine is at fault and nothing else was found", 78: None},
    "run": {0: "ended by SIGTERM or SIGINT", 64: None, 66: None, 70: None, 78: None},
    "watch": {0: None, 1: None, 64: None, 66: None, 70: None, 78: None, 130: None, 141: None},
    "status": STORE | {1: None, 141: "the reader of --watch has gone"},
    "incidents": STORE,
    "history": STORE,
    "lint": {0: "nothing at severity error", 1: "an error, with --strict a warning; or a site that serves no file",
             64: None, 66: None, 70: None, 78: None},
    "match": {0: None, 1: None, 64: None, 65: None, 66: None, 70: None, 78: None},
    "diff": {0: "the same meaning", 1: "another meaning, even if only in a comment", 64: None, 65: None, 66: None, 70: None, 78: None},
    "device": {0: None, 1: "the device's answer or its evidence is at fault", 64: None, 66: None,
               70: "a fault of the program or its machine, or nothing can be said", 78: None},
    "audit": {0: "nothing at severity error", 1: None, 64: None, 66: None,
              70: "a fault of the program or its machine, or only this machine is at fault and nothing else was found", 78: None},
    "init": {0: None, 64: "usage, or the file is there already", 66: None, 70: None},
    "config": {0: None, 64: None, 66: None, 70: None, 78: "the configuration has a fault"},
    "alert": {0: None, 1: "a message was not delivered", 64: None, 66: None, 70: None, 78: None},
    "silence": STORE,
    "ack": STORE,
    "unack": STORE,
    "deliveries": STORE,
    "store": STORE | {70: "a fault of the program or its machine, or the store is damaged"},
    "demo": {0: None, 1: "an expected alert is missing", 64: None, 70: None, 130: None},
}
SHARED = """.SH FILES
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


SENTENCE = re.compile(r"\s*Exit codes: (.*?)(?=\n\n|$)", re.DOTALL)


def said(command):
    """What the command and its subcommands say of their exit codes, with the subcommand that says it."""
    found = [("", match.strip()) for match in SENTENCE.findall(command.get("discussion", ""))]
    for each in visible(command, "subcommands"):
        found += [(each["commandName"], words) for _, words in said(each)]
    return found


def exit_status(command, name):
    """The command's own words, and what else it ends with."""
    own = said(command) if name else []
    result = ".SH EXIT STATUS\n"
    for subcommand, words in own:
        result += text((subcommand + ": " if subcommand else "") + words) + "\n.PP\n"
    # What a subcommand says is not said for the others.
    stated = {int(code) for subcommand, words in own if not subcommand for code in re.findall(r"\b\d{1,3}\b", words)}
    for code, words in sorted(CODES[name].items()):
        if code not in stated:
            result += f".TP\n{code}\n{text(words or MEANINGS[code])}\n"
    return result


def page(path, command, others, version, date):
    title = "-".join(path)
    words = command.get("abstract", "").rstrip(".")
    result = f'.TH "{text(title.upper())}" 1 "{date}" "{PROGRAM} {version}" "User Commands"\n'
    result += f".SH NAME\n{text(title)} \\- {text(words[:1].lower() + words[1:])}\n"
    result += f".SH SYNOPSIS\n{synopsis(path, command)}"
    description = SENTENCE.sub("", command.get("discussion", ""))
    if description.strip():
        result += f".SH DESCRIPTION\n{paragraphs(description)}\n"
    codes = exit_status(command, "" if len(path) == 1 else path[-1])
    if len(path) == 1:
        result += ".SH COMMANDS\n"
        for each in visible(command, "subcommands"):
            if each["commandName"] != "help":
                result += f".TP\n.BR {text(PROGRAM + '-' + each['commandName'])} (1)\n{text(each.get('abstract', ''))}\n"
        command = {key: value for key, value in command.items() if key != "subcommands"}
    return result + sections(path, command) + codes + SHARED.format(others=others)


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
