#!/usr/bin/env bash
# Builds the release binary with the Swift runtime inside and packs it with what a machine needs to run it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Commands/Version.swift)
name="aasa-monitor-$version-linux-$(uname -m)"

swift build -c release --static-swift-stdlib --product aasa-monitor

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir -p "$staging/$name" dist
cp .build/release/aasa-monitor "$staging/$name/"
strip "$staging/$name/aasa-monitor"
cp -r monitor.yaml README.md CHANGELOG.md docs deploy/aasa-monitor.service "$staging/$name/"
# The same sources give the same archive: no dates, no owner.
tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner \
    -C "$staging" -czf "dist/$name.tar.gz" "$name"
(cd dist && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "dist/$name.tar.gz: libcurl4, libc-ares2, libjemalloc2 and libsqlite3-0 are all it needs on Debian"
