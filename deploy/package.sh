#!/usr/bin/env bash
# Packs the program with what a machine needs to run it: an archive and a .deb, both in dist/.
#   package.sh [ARCH]     builds the release binary, with Swift's runtime inside; fails if this machine is not of ARCH
#   package.sh --debug    packs the debug binary that is built already, with the runtime's libraries beside it: a .deb for tests
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/FileCommands/Version.swift)
# The same sources give the same files, whoever builds them: one order of names, one mode of files, one date.
export LC_ALL=C.UTF-8 TZ=UTC0
umask 022
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
# Packs what this machine's toolchain builds, and runs the program to make the man pages.
if [ "${1:-}" != --debug ] && [ -n "${1:-}" ] && [ "$1" != "$(dpkg --print-architecture)" ]; then
    cat >&2 <<WORDS
This machine is $(dpkg --print-architecture): it cannot make a package for $1. Run 'make package' on a machine that is $1, with
Debian 12 and Swift 6.2 or later (https://www.swift.org/install/linux/). Building for another machine would need a Swift SDK for
it ('swift sdk list' names those that are installed) with Swift's static libraries, and with the headers and libraries of
libcurl, c-ares, libarchive, jemalloc, SQLite and OpenSSL.
WORDS
    exit 1
fi
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
chmod 755 "$staging"
mkdir -p dist

if [ "${1:-}" = --debug ]; then
    built=.build/debug/aasa-monitor
    output=dist/debug
    unpackaged=(--ignore-missing-info --warnings=0)
    # dpkg-shlibdeps warns about each of Swift's libraries, whose names have no version.
    exec 2> >(grep -v "can't extract name and version from library name" >&2)
    compression=-Zgzip\ -z1
    mkdir -p "$output"
else
    python3 deploy/icu.py .build/icu
    # The compiler does not notice that a file which was missing exists now.
    touch Sources/CICU/data.S
    # The program contains the names of its source files for crash messages, but not the name of this folder.
    swift build -c release --static-swift-stdlib --product aasa-monitor \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
    # Other builds use the library's data.
    rm .build/icu/icudata.inc
    touch Sources/CICU/data.S
    built=.build/release/aasa-monitor
    # The reduced ICU data must be enough for a name and a time zone.
    "$built" config check - >/dev/null <<'YAML'
version: 1
domains: [bücher.example]
maintenance: [{name: upgrade, domains: ["*"], days: [sun], start: "02:00", end: "04:00", zone: Europe/Berlin}]
alerts: {channels: [{name: ops, type: webhook, url: "https://hooks.example.net/"}]}
YAML
    output=dist
    unpackaged=()
    compression=-Zxz
fi

# The documents link to each other by relative paths, so they keep their folders.
documents() {
    mkdir -p "$1"
    cp README.md "$1/"
    cp -r docs "$1/"
}

archive() {
    local name folder
    name="aasa-monitor-$version-linux-$(uname -m)"
    folder="$staging/archive/$name"
    documents "$folder"
    install -m 755 "$staging/aasa-monitor" "$folder/aasa-monitor"
    cp LICENSE CHANGELOG.md deploy/aasa-monitor.service deploy/aasa-monitor.sysusers "$folder/"
    example >"$folder/monitor.yaml"
    cp -r "$staging/man" "$staging/completions" deploy/prometheus deploy/container deploy/ci "$folder/"
    notices >"$folder/third-party-notices"
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        -C "$staging/archive" -cf - "$name" | gzip -9n >"dist/$name.tar.gz"
    (cd dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
    printf 'dist/%s.tar.gz: %s\n' "$name" "$(du -h "dist/$name.tar.gz" | cut -f1)"
}

# Licenses and notices of what is inside the program.
notices() {
    local file
    for file in .build/checkouts/*/LICENSE* .build/checkouts/*/NOTICE* \
        "$(dirname "$(readlink -f "$(command -v swift)")")/../share/swift/LICENSE.txt"; do
        [ -f "$file" ] || continue
        case $file in
            .build/*) printf '==== %s\n\n' "${file#.build/checkouts/}" ;;
            *) printf '==== Swift\n\n' ;;
        esac
        cat "$file"
        printf '\n'
    done
}

# The example without a domain: users add their own.
example() {
    sed -e 's|^domains:$|domains: []             # yours, such as [example.com], or one per line without the brackets|' \
        -e '/^  - example\.com$/d' monitor.yaml
}

# The packaged configuration: the example, with the service's store.
configuration() {
    example | sed -e 's|^# yaml-language-server: .*|# yaml-language-server: $schema=/usr/share/aasa-monitor/monitor.schema.json|' \
        -e 's|^  path: aasa-monitor.db .*|  path: /var/lib/aasa-monitor/aasa-monitor.db|' >"$1"
    grep -q '^domains: \[\]' "$1"
    grep -q '^  path: /var/lib/aasa-monitor/aasa-monitor.db$' "$1"
}

deb() {
    local root="$staging/deb/debian/aasa-monitor" architecture depends
    architecture=$(dpkg --print-architecture)
    local share="$root/usr/share" doc="$root/usr/share/doc/aasa-monitor"
    install -D -m 755 "$staging/aasa-monitor" "$root/usr/bin/aasa-monitor"
    if [ -d "$staging/runtime" ]; then
        mkdir -p "$root/usr/lib/aasa-monitor"
        install -m 644 "$staging"/runtime/* "$root/usr/lib/aasa-monitor/"
    fi
    install -D -m 644 deploy/aasa-monitor.service "$root/lib/systemd/system/aasa-monitor.service"
    install -D -m 644 deploy/aasa-monitor.sysusers "$root/usr/lib/sysusers.d/aasa-monitor.conf"
    install -d "$share/man/man1" "$share/man/man5" "$share/aasa-monitor" "$doc/examples"
    # The first installation copies it to /etc. It is not a conffile: everybody edits it, so a new example would stop an
    # unattended upgrade with a question. It is not in /usr/share/doc, because images may leave that out.
    configuration "$share/aasa-monitor/monitor.yaml"
    ln -s ../../../aasa-monitor/monitor.yaml "$doc/examples/monitor.yaml"
    install -m 644 docs/monitor.schema.json "$share/aasa-monitor/"
    install -D -m 644 -t "$share/aasa-monitor/prometheus" deploy/prometheus/*
    install -D -m 644 -t "$share/aasa-monitor/ci" deploy/ci/*
    chmod 755 "$share/aasa-monitor/ci/aasa-ci.sh"
    install -D -m 644 -t "$share/aasa-monitor/container" deploy/container/*.yaml
    install -m 644 "$staging"/man/*.1 "$share/man/man1/"
    install -m 644 "$staging"/man/*.5 "$share/man/man5/"
    gzip -9n "$share"/man/man?/*
    install -D -m 644 "$staging/completions/aasa-monitor.bash" "$share/bash-completion/completions/aasa-monitor"
    install -D -m 644 "$staging/completions/_aasa-monitor" "$share/zsh/vendor-completions/_aasa-monitor"
    install -D -m 644 "$staging/completions/aasa-monitor.fish" "$share/fish/vendor_completions.d/aasa-monitor.fish"
    documents "$doc"
    cp CHANGELOG.md "$doc/"
    install -m 644 deploy/debian/copyright "$doc/copyright"
    install -D -m 644 deploy/debian/lintian-overrides "$share/lintian/overrides/aasa-monitor"
    notices | gzip -9n >"$doc/third-party-notices.gz"
    printf 'aasa-monitor (%s) stable; urgency=medium\n\n  * Version %s: see CHANGELOG.md.\n\n -- %s  %s\n' \
        "$version" "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n >"$doc/changelog.gz"

    # The linked libraries determine the packages and their versions. Swift's libraries for tests belong to no package.
    mkdir "$root/DEBIAN"
    printf 'Source: aasa-monitor\n\nPackage: aasa-monitor\nArchitecture: %s\n' "$architecture" \
        >"$staging/deb/debian/control"
    depends=$(cd "$staging/deb" && find "$root/usr/bin" "$root/usr/lib" -type f -path '*/bin/*' -printf '-e%p\0' -o -name '*.so' -printf '-e%p\0' |
        xargs -0 dpkg-shlibdeps -O -l"$root/usr/lib/aasa-monitor" "${unpackaged[@]}" | sed -n 's/^shlibs:Depends=//p')

    install -m 755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$root/DEBIAN/"
    cat >"$root/DEBIAN/control" <<CONTROL
Package: aasa-monitor
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Section: net
Priority: optional
Homepage: https://github.com/aasa-monitor/aasa-monitor
Installed-Size: $(find "$root" -printf '%y %s\n' | awk '$1 == "f" { size += int(($2 + 1023) / 1024); next } { size += 1 } END { print size }')
Depends: $depends, systemd | systemd-standalone-sysusers | systemd-sysusers
Recommends: ca-certificates
Description: monitors universal links: the site's file and Apple's copy of it
 iOS does not read a site's apple-app-site-association file. It reads the copy
 in Apple's CDN, which lags behind and disappears when something blocks
 Apple's crawler. Universal links then fail silently.
 .
 aasa-monitor compares both for each domain, finds the cause, and alerts a
 chat or pager. It is a command for checks by hand and in CI, and a daemon
 with a status page.
CONTROL
    (cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    local package="$output/aasa-monitor_${version}_$architecture.deb"
    # shellcheck disable=SC2086 # two words
    dpkg-deb --root-owner-group $compression --build "$root" "$package" >/dev/null
    printf '%s: %s, installed %s\n' "$package" "$(du -h "$package" | cut -f1)" "$(du -sh --apparent-size "$root" | cut -f1)"
}

maintainer='the aasa-monitor contributors <aasa-monitor@users.noreply.github.com>'
strip -o "$staging/aasa-monitor" "$built"
# Hashes by the compiler and the linker that also cover what is not in the program, such as the build folder. Zeros replace them;
# without these sections the program would lose its read-only relocations.
blank() {
    local offset size
    read -r offset size < <(readelf -SW "$staging/aasa-monitor" | sed 's/^ *\[ *[0-9]*\] *//' |
        awk -v name="$1" '$1 == name { print $4, $5 }') || return 0
    dd if=/dev/zero of="$staging/aasa-monitor" bs=1 seek=$((16#$offset + $2)) count=$((16#$size - $2)) conv=notrunc status=none
}
blank .swift_modhash 0
# After the header of the note.
blank .note.gnu.build-id 16
# The commit, for --version; none if there are uncommitted changes. Its section has 48 bytes.
if commit=$(git rev-parse HEAD 2>/dev/null) && [ -z "$(git status --porcelain 2>/dev/null)" ]; then
    printf '%s' "$commit" | dd of="$staging/commit" bs=48 conv=sync status=none
    objcopy --update-section .aasa_commit="$staging/commit" "$staging/aasa-monitor"
fi
# The system's libraries only.
patchelf --remove-rpath "$staging/aasa-monitor"
if [ "${1:-}" = --debug ]; then
    mkdir "$staging/runtime"
    toolchain=$(dirname "$(readlink -f "$(command -v swift)")")/../lib/swift/linux
    ldd "$built" | sed -n 's|.* => \(.*/swift/linux/[^ ]*\) .*|\1|p' | while read -r library; do
        strip -o "$staging/runtime/$(basename "$library")" "$toolchain/$(basename "$library")"
        patchelf --set-rpath /usr/lib/aasa-monitor "$staging/runtime/$(basename "$library")"
    done
    patchelf --set-rpath /usr/lib/aasa-monitor "$staging/aasa-monitor"
fi

# Made from the parser's own description, so they always agree with it.
"$built" --experimental-dump-help | python3 deploy/manual.py "$staging/man" "$version" "$date" docs/monitor.schema.json
mkdir "$staging/completions"
# Sourced, never run.
"$built" --generate-completion-script bash | sed '1{/^#!/d}' >"$staging/completions/aasa-monitor.bash"
"$built" --generate-completion-script zsh >"$staging/completions/_aasa-monitor"
"$built" --generate-completion-script fish >"$staging/completions/aasa-monitor.fish"

[ "${1:-}" = --debug ] || archive
deb
