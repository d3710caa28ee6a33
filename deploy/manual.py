#!/usr/bin/env python3
"""Makes the man pages: aasa-monitor --experimental-dump-help | manual.py FOLDER VERSION DATE SCHEMA

The pages of the commands come from the parser's own description, the page of monitor.yaml from its JSON Schema."""

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
    66: "a file, a store, a site or a daemon is missing or cannot be read",
    70: "a fault of the program or its machine",
    78: "configuration, or a store that this version cannot use",
    130: "interrupted",
    141: "the reader of the output has gone",
}
# The exit codes of each command. A command that is missing here fails the build.
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
    "device": {0: None, 1: "at least one entry of the device is failing", 64: None, 66: None,
               70: "a fault of the program or its machine, or the result is unknown", 78: None},
    "audit": {0: "nothing at severity error", 1: None, 64: None, 66: None,
              70: "a fault of the program or its machine, or only this machine is at fault and nothing else was found", 78: None},
    "init": {0: None, 64: "usage, or the file already exists", 66: None, 70: None},
    "config": {0: None, 64: None, 66: None, 70: None, 78: "the configuration has an error"},
    "alert": {0: None, 1: "a message was not delivered", 64: None, 66: None, 70: None, 78: None},
    "silence": STORE,
    "ack": STORE,
    "unack": STORE,
    "deliveries": STORE,
    "store": STORE | {70: "a fault of the program or its machine, or the store is damaged"},
    "demo": {0: None, 1: "an expected alert is missing", 64: None, 70: None, 130: None},
}
# Example lines for each command. An option that the command does not have fails the build.
EXAMPLES = {
    "": [("aasa-monitor check example.com", "What phones do with the links of a site, and why.")],
    "check": [
        ("aasa-monitor check example.com", "One site: its file, Apple's copy, and what phones do."),
        ("aasa-monitor check --why https://example.com/invite/1 example.com", "Why does this link open Safari?"),
        ("aasa-monitor check --format json @domains.txt", "Many sites, for a program."),
    ],
    "run": [("aasa-monitor run --config /etc/aasa-monitor/monitor.yaml", "The daemon, as the service starts it.")],
    "watch": [("aasa-monitor watch example.com", "After a deploy: wait until Apple's CDN serves the new file.")],
    "lint": [
        ("aasa-monitor lint apple-app-site-association", "A file before it is deployed."),
        ("aasa-monitor lint --explain app-id-format", "What a rule means."),
    ],
    "match": [("aasa-monitor match example.com https://example.com/invite/1", "Which app opens a URL, and by which rule.")],
    "diff": [("aasa-monitor diff cdn:example.com example.com", "Which URLs change once the CDN has the new file.")],
    "device": [("aasa-monitor device --app ABCDE12345.com.example.app sysdiagnose.tar.gz", "What one phone knows about an app's domains.")],
    "audit": [
        ("aasa-monitor audit --entitlements App.entitlements", "Each domain that an app claims."),
        ("aasa-monitor audit --offline --entitlements App.entitlements --file example.com=apple-app-site-association",
         "Check a file before its deployment, without a request."),
    ],
    "init": [("aasa-monitor init example.com", "Write a first monitor.yaml.")],
    "config": [("aasa-monitor config check --config monitor.yaml", "Every error in a configuration, with its line.")],
    "alert": [("aasa-monitor alert test ops", "Send a test message to one channel.")],
    "status": [("aasa-monitor status --failing", "The domains in trouble.")],
    "incidents": [("aasa-monitor incidents --all --since 7d", "What happened in a week.")],
    "history": [("aasa-monitor history example.com", "Versions of the file, and how long the CDN took for each.")],
    "silence": [("aasa-monitor silence example.com --for 2h --reason \"new balancer\"", "No alerts while somebody works on it.")],
    "ack": [("aasa-monitor ack 3f09a1c2 --by eva", "Somebody works on it: no reminders, no escalation.")],
    "deliveries": [("aasa-monitor deliveries list", "What was sent to whom, and what the receiver answered.")],
    "store": [("aasa-monitor store backup /var/backups/aasa-monitor.db", "A copy while the daemon runs.")],
}
ENVIRONMENT = """.SH ENVIRONMENT
.TP
.B AASA_MONITOR_CONFIG
The configuration, if no option names one.
.TP
.B NO_COLOR
With any value: no colour.
.TP
.B STATE_DIRECTORY
The folder of a store whose path is relative; systemd sets it.
.TP
.B CREDENTIALS_DIRECTORY
The folder of the service's credentials; systemd sets it.
"""
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
    """Text for roff: no escapes, no requests, and hyphens that can be copied."""
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
    """What the command and its subcommands say about their exit codes, each with its subcommand."""
    found = [("", match.strip()) for match in SENTENCE.findall(command.get("discussion", ""))]
    for each in visible(command, "subcommands"):
        found += [(each["commandName"], words) for _, words in said(each)]
    return found


def exit_status(command, name):
    """The command's own text, and its other exit codes."""
    own = said(command) if name else []
    result = ".SH EXIT STATUS\n"
    for subcommand, words in own:
        result += text((subcommand + ": " if subcommand else "") + words) + "\n.PP\n"
    # The text of a subcommand does not apply to the others.
    stated = {int(code) for subcommand, words in own if not subcommand for code in re.findall(r"\b\d{1,3}\b", words)}
    for code, words in sorted(CODES[name].items()):
        if code not in stated:
            result += f".TP\n{code}\n{text(words or MEANINGS[code])}\n"
    return result


def examples(command, name):
    lines = EXAMPLES.get(name, [])
    inner = [command] + [each for each in visible(command, "subcommands")]
    known = {"--" + given["name"] for each in inner for argument in each.get("arguments", [])
             for given in argument.get("names", []) if given["kind"] == "long"}
    for line, _ in lines:
        unknown = {word for word in line.split() if word.startswith("--")} - known
        if unknown and name:
            raise SystemExit(f"the example of {name} has options that the command does not have: {unknown}")
    return "".join([".SH EXAMPLES\n"] + [f".TP\n.B {text(line)}\n{text(words)}\n" for line, words in lines]) if lines else ""


def default(value):
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value


def settings(schema, path=""):
    """Each key of a mapping with its description and default, followed by its own keys."""
    result = ""
    # The forms of a list's entry that are mappings.
    forms = [schema] + schema.get("anyOf", []) + schema.get("oneOf", [])
    if "items" in schema:
        items = schema["items"]
        forms += [items] + items.get("anyOf", [])
        path += "[]" if path else ""
    for key, value in [pair for form in forms for pair in form.get("properties", {}).items() if "description" in pair[1]]:
        place = f"{path}.{key}" if path else key
        words = value["description"].rstrip(".") + "."
        if "enum" in value:
            words += f" One of {', '.join(str(each) for each in value['enum'])}."
        if value.get("default") not in (None, [], {}):
            words += f" Default: {default(value['default'])}."
        result += f".TP\n.B {text(place)}\n{text(words)}\n{settings(value, place)}"
    return result


def configuration(schema, version, date):
    return (
        f'.TH "MONITOR.YAML" 5 "{date}" "{PROGRAM} {version}" "File Formats"\n'
        ".SH NAME\nmonitor.yaml \\- the configuration of aasa\\-monitor\n"
        ".SH DESCRIPTION\n" + paragraphs(
            "YAML with the keys below. Unknown keys are errors; aasa-monitor config check shows every error with its line.\n\n"
            "A duration is a number with ms, s, m, h or d, such as 1h30m. ${NAME} inserts an environment variable, and "
            "${NAME:-text} has a default. Each secret can be read from a file instead: token_file instead of token.\n\n"
            "systemctl reload makes the service read the file again. A file with errors is reported, and the running "
            "configuration stays.")
        + "\n.SH KEYS\n" + settings(schema)
        + ".SH EXAMPLES\n.nf\n" + text("version: 1\ndomains:\n  - example.com\nalerts:\n  channels:\n"
                                       "    - {name: ops, type: slack, url_file: /etc/aasa-monitor/slack.url}") + "\n.fi\n"
        + SHARED.format(others=f"\\fB{text(PROGRAM)}\\fR(1)"))


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
    shown = examples(command, "" if len(path) == 1 else path[-1])
    return result + sections(path, command) + codes + ENVIRONMENT + shown + SHARED.format(others=others)


def main(folder, version, date, schema):
    root = json.load(sys.stdin)["command"]
    os.makedirs(folder, exist_ok=True)
    pages = {PROGRAM: page([PROGRAM], root, text("the pages of its commands"), version, date)}
    for command in visible(root, "subcommands"):
        if command["commandName"] != "help":
            path = [PROGRAM, command["commandName"]]
            pages["-".join(path)] = page(path, command, f"\\fB{text(PROGRAM)}\\fR(1)", version, date)
    pages = {title + ".1": content for title, content in pages.items()}
    with open(schema, encoding="utf-8") as file:
        pages["monitor.yaml.5"] = configuration(json.load(file), version, date)
    for title, content in pages.items():
        with open(os.path.join(folder, title), "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
