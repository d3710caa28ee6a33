#!/usr/bin/env bash
# Uses the AASA library as another package would, with the examples of docs/reference/library.md: from a path, then from a URL. The
# build may fetch and compile nothing but AASA. On Linux it also finds APIs that macOS 13 does not have.
#   test.sh      make library
set -euo pipefail
cd "$(dirname "$0")/../.."

page=docs/reference/library.md
work=$PWD/.build/library
fail() { echo "failed: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; }

# block NUMBER: a code block of the page.
block() { awk -v wanted="$1" '/^```/ { isOpen = !isOpen; count += isOpen; next } isOpen && count == wanted' "$page"; }

# use FOLDER: builds the package in it with a separate cache, and compares what it prints with the page.
use() {
    local name log=$1/build.log
    name=$(basename "$1")
    local own=(--package-path "$1" --cache-path "$work/cache" --security-path "$work/security" --config-path "$work/configuration")
    block 2 >"$1/Sources/main.swift"
    swift build "${own[@]}" >"$log" 2>&1 || { cat "$log"; fail "$name does not build"; }
    # One line for each package: indirect dependencies too, and the package itself.
    local graph built
    graph=$(swift package "${own[@]}" show-dependencies --format flatlist 2>>"$log")
    [ "$(wc -l <<<"$graph")" = 1 ] || fail "$name depends on:" $graph
    built=$(sed -nE 's/^\[[0-9]+\/[0-9]+\] (Compiling|Emitting module|Archiving|Linking) ([^ ]+).*/\2/p' "$log" | sort -u | tr '\n' ' ')
    [ "$built" = "AASA links " ] || fail "$name builds: $built"
    diff <(block 3) <("$1/.build/debug/links") || fail "$name does not print what $page says"
    echo "$name: $(grep 'Build complete' "$log") only AASA; the example prints what the page says"
}

for type in $(sed -nE 's/^public (final |indirect )?(class|enum|struct) ([A-Za-z]+).*/\3/p' $(find Sources/AASA -name '*.swift')); do
    grep -qw "$type" "$page" || fail "$page does not name the public type $type"
done

rm -rf "$work"
mkdir -p .build/library-by-path/Sources "$work/by-url/Sources"
trap 'rm -rf "$PWD/.build/library-by-path"' EXIT

# At the same depth as the original: its relative path then leads here.
cp Tests/LibraryPackage/Package.swift .build/library-by-path/
use .build/library-by-path

# A repository with the current content of this folder, new files included, as a version.
if git rev-parse --git-dir >/dev/null 2>&1; then
    commit=$(
        export GIT_INDEX_FILE=$work/index
        git add --all
        git -c user.name=test -c user.email=test@localhost commit-tree -m "as it stands" "$(git write-tree)"
    )
    url=https://github.com/aasa-monitor/aasa-monitor
    block 1 | grep -q "$url\"" || fail "$page names another URL"
    git init -q --bare --initial-branch main "$work/aasa-monitor.git"
    git push -q "$work/aasa-monitor.git" "$commit:refs/heads/main" "$commit:refs/tags/0.1.0"
    block 1 | sed "s|$url|file://$work/aasa-monitor.git|" >"$work/by-url/Package.swift"
    use "$work/by-url"
else
    skip "the library from a URL: this folder is not a Git repository"
fi

# Finds APIs that are newer than `platforms`. The standard library's interface on Linux contains the macOS release of each
# function. The compiler checks these if it reads the interface as one for macOS.
if [ "$(uname)" != Linux ]; then
    skip "API of macOS 13: already checked by the build above"
    exit
fi
macos=.build/library-macos
information=$(swiftc -print-target-info)
resources=$(sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p' <<<"$information")
triple=$(sed -n 's/.*"moduleTriple": "\(.*\)".*/\1/p' <<<"$information")
machine=${triple%%-*}
machine=${machine/aarch64/arm64}
mkdir -p "$macos/sdk"
ln -sfn "$resources/shims" "$macos/shims"
ln -sfn "$resources/clang" "$macos/clang"
for module in Swift _StringProcessing; do
    interface=$macos/macosx/$module.swiftmodule/$machine-apple-macos.swiftinterface
    mkdir -p "$(dirname "$interface")"
    # Without function bodies this takes a tenth of the time. Back-deployed functions need a body, so they lose that attribute.
    sed -e "/^\/\/ swift-module-flags:/ { s/-target $triple/-target $machine-apple-macosx13.0/; s/ -static / /; s/ -O / -O -experimental-skip-all-function-bodies / }" \
        -e '/^ *@backDeployed(/d' \
        "$resources/linux/$module.swiftmodule/$triple.swiftinterface" >"$interface.new" || true
    # The compiler reuses its result for an unchanged interface.
    cmp -s "$interface.new" "$interface" || cp "$interface.new" "$interface"
done
check() {
    swiftc -typecheck -wmo -target "$machine-apple-macosx13.0" -sdk "$macos/sdk" -resource-dir "$macos" \
        -module-cache-path "$macos/cache" -Xfrontend -disable-implicit-concurrency-module-import \
        -swift-version 6 -package-name aasa -parse-as-library -module-name AASA "$@" 2>"$macos/log"
}
echo 'let text = String(decoding: [UInt8](), as: UTF8.self)' >"$macos/old.swift"
echo 'let text = String(validating: [UInt8](), as: UTF8.self)' >"$macos/new.swift"
if ! check "$macos/old.swift"; then
    skip "API of macOS 13: this compiler cannot read its standard library for macOS ($macos/log)"
elif check "$macos/new.swift" || ! grep -q "only available in macOS 15" "$macos/log"; then
    skip "API of macOS 13: this standard library does not contain macOS releases"
else
    mapfile -t sources < <(find Sources/AASA -name '*.swift')
    check "${sources[@]}" || { grep -A3 "error:" "$macos/log"; fail "AASA does not compile for macOS 13"; }
    echo "AASA uses no API newer than macOS 13"
fi
