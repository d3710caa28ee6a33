#!/usr/bin/env bash
# Builds the program with the trait Files alone, as a Mac does, and runs its commands on docs/examples. The build may fetch
# only swift-argument-parser, and must not link a library of the network or the store.
#   test.sh      make library
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$PWD/.build/files
fail() { echo "failed: $*" >&2; exit 1; }

# APIs that need a newer system than macOS 13, or Linux. A compiler on a Mac would find the rest; none has been asked yet.
newer='^import (Glibc|Synchronization|os)$|\bRangeSet\b|\b(Raw)?Span<|String\(validating: |\b(Int128|UInt128|InlineArray|Mutex|Atomic)\b[<(]'
grep -rnE "$newer" Sources/{AASA,Facts,Hashing,Evidence,FileCommands} && fail "these modules must run on macOS 13"

# A copy, because SwiftPM would write the packages of these traits into Package.resolved. The next run reuses the build.
mkdir -p "$work/package"
for part in Package.swift Sources Tests Benchmarks docs monitor.yaml; do
    rm -rf "${work:?}/package/$part"
    cp -a "$part" "$work/package/"
done
options=(--package-path "$work/package" --disable-default-traits --traits Files)
log=$work/build.log
swift build "${options[@]}" --product aasa-monitor >"$log" 2>&1 || { cat "$log"; fail "the program does not build with Files alone"; }
grep -q ' warning: ' "$log" && { grep ' warning: ' "$log"; fail "the build warns"; }

graph=$(swift package "${options[@]}" show-dependencies --format flatlist 2>>"$log")
[ "$graph" = swift-argument-parser ] || fail "the program depends on:" $graph

program=$work/package/.build/debug/aasa-monitor
if [ "$(uname)" = Linux ]; then
    # Hashing links libcrypto. A Mac does not need it: it has CryptoKit.
    linked=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' | grep -vE '^(libswift|lib_?Foundation|lib(c|m|gcc_s|stdc\+\+|dispatch|BlocksRuntime|crypto|ssl)$|ld-linux)' || true)
    [ -z "$linked" ] || fail "the program links:" $linked
fi

# expect CODE WORDS COMMAND…: runs a command, and checks its exit code and its output.
expect() {
    local code=0 text
    text=$("$program" "${@:3}" 2>&1) || code=$?
    [ "$code" = "$1" ] || fail "aasa-monitor ${*:3} ends with $code: $text"
    grep -qF -- "$2" <<<"$text" || fail "aasa-monitor ${*:3} does not say '$2': $text"
}
cd docs/examples
app=9JA89QQLNQ.com.acme.shop
cat >"$work/App.entitlements" <<END
<plist version="1.0"><dict><key>application-identifier</key><string>$app</string>
<key>com.apple.developer.associated-domains</key>
<array><string>applinks:example.com</string><string>webcredentials:example.com</string><string>applinks:example.org</string></array>
</dict></plist>
END
audit=(audit --entitlements "$work/App.entitlements")
expect 0 "aasa-monitor $(sed -n 's/.*number = "\(.*\)"/\1/p' ../../Sources/FileCommands/Version.swift)" --version
expect 1 "[exclude-after-include]" lint apple-app-site-association
expect 1 '"fingerprint": "' lint --format codequality apple-app-site-association
expect 0 "alert: origin.broken" lint --explain origin.status
expect 0 "opens $app, by" match apple-app-site-association /shop/1
expect 1 "/cart" diff apple-app-site-association repaired
expect 1 "passkeys, password AutoFill" "${audit[@]}" --offline --file example.com=apple-app-site-association
expect 1 "applinks:example.org" "${audit[@]}" --offline --file example.com=apple-app-site-association
for source in example.com cdn:example.com; do
    expect 66 "this build reads files only: save the file of a domain with 'curl -f -o FILE https://" lint "$source"
done
expect 64 "this build reads files only: add --offline" "${audit[@]}"
expect 64 "there is no command 'check'" check example.com
echo "the program with Files alone: $(grep 'complete!' "$log") one package fetched; lint, match, diff and audit --offline work"
