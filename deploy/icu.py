#!/usr/bin/env python3
"""Writes the part of ICU's data that the program uses: `icu.py FOLDER`. Sources/CICU links it into the program.

Foundation's static library contains 34 MB of ICU's data: names and sort orders of 300 languages, text converters. The program
writes English and UTF-8, and uses ICU only for time zones, the calendar and host names. 5 MB remain.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# Items of one locale; items of English and of no language stay.
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)?\.res")
KEPT = re.compile(r"(en(_001|_150|_GB|_US|_US_POSIX)?|res_index)\.res")
DROPPED = (".cnv", ".dict", ".lstm")


def library():
    swift = pathlib.Path(subprocess.check_output(["sh", "-c", 'readlink -f "$(command -v swift)"'], text=True).strip())
    return swift.parent.parent / "lib/swift_static/linux/lib_FoundationICU.a"


def is_kept(name):
    folder, _, item = name.split("/", 1)[1].rpartition("/")
    if folder == "translit" or item.endswith(DROPPED):
        return False
    return not LOCALE.fullmatch(item) or bool(KEPT.fullmatch(item))


def reduced(data):
    """The package without the dropped items, in the format of ICU's tools/toolutil/package.cpp."""
    (header,) = struct.unpack_from("<H", data)
    if data[12:16] != b"CmnD":
        sys.exit("icu.py: the library contains no package of ICU's common data")
    (count,) = struct.unpack_from("<I", data, header)
    entries = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in entries[1:]] + [len(data) - header]
    names, contents = [], []
    for (name, start), end in zip(entries, ends):
        name = data[header + name : data.index(b"\0", header + name)]
        if is_kept(name.decode()):
            names.append(name + b"\0")
            contents.append(data[header + start : header + end])
    table, texts = 4 + 8 * len(names), sum(map(len, names))
    place = table + texts
    padding = -place % 16
    place += padding
    toc, text = struct.pack("<I", len(names)), table
    for name, content in zip(names, contents):
        toc += struct.pack("<II", text, place)
        text += len(name)
        # Sizes are multiples of 16 already: items follow each other without a gap.
        place += len(content)
    return data[:header] + toc + b"".join(names) + bytes(padding) + b"".join(contents)


def main():
    output = pathlib.Path(sys.argv[1]).resolve()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run(["ar", "x", library(), "icu_packaged_data.cpp.o"], check=True, cwd=folder)
        packed = folder / "icu_packaged_data.cpp.o"
        symbol = re.search(r"icudt\d+_dat", subprocess.check_output(["nm", packed], text=True))[0]
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", packed, folder / "data"], check=True)
        (output / "icu.dat").write_bytes(reduced((folder / "data").read_bytes()))
    (output / "icudata.inc").write_text(
        f'.section .rodata\n.balign 16\n.globl {symbol}\n{symbol}:\n.incbin "{output}/icu.dat"\n'
    )


main()
