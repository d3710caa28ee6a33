#!/usr/bin/env bash
# Makes a release from the output of `make package` in dist/: adds image, SBOM, notes, checksums.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -z "$(git status --porcelain)" ] || { echo "there are uncommitted changes; commit them before a release" >&2; exit 1; }
version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/FileCommands/Version.swift)
# As in package.sh.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C.UTF-8 TZ=UTC0
umask 022
deb=dist/aasa-monitor_${version}_$(dpkg --print-architecture).deb
[ -f "$deb" ] || { echo "there is no $deb; run make package" >&2; exit 1; }
# The section of this version; if there is none yet, the unreleased changes.
section=Unreleased
if grep -qF "## [$version]" CHANGELOG.md; then section=$version; fi
awk -v section="## [$section]" '/^## / { inside = index($0, section) == 1; next } inside' CHANGELOG.md >dist/NOTES.md
grep -q '[^[:space:]]' dist/NOTES.md || { echo "CHANGELOG.md has no section for $version" >&2; exit 1; }
python3 deploy/sbom.py "$version" "$deb" .build/workspace-state.json "dist/aasa-monitor-$version.spdx.json"
if [ "$(id -u)" -eq 0 ]; then
    deploy/container/image.sh "$deb"
else
    echo "dist/ has no image: only root can make one (sudo make image)" >&2
fi
# Only files of this version: dist/ keeps older ones.
(cd dist && find . -maxdepth 1 -type f -name "aasa-monitor[-_]${version}[-_.]*" ! -name '*.sha256' -printf '%f\0' | sort -z |
    xargs -0 sha256sum NOTES.md >SHA256SUMS)
cat dist/SHA256SUMS
