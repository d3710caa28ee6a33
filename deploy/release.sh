#!/usr/bin/env bash
# Completes dist/ to a release of what `make package` made: image, SBOM, notes, checksums.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed; a release is of a commit" >&2; exit 1; }
version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Commands/Version.swift)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
deb=$(ls dist/aasa-monitor_"${version}"_*.deb)
# The section of this version, or what is unreleased.
awk -v version="$version" '
    /^## / { if (inside) exit; inside = index($0, "[" version "]") || index($0, "[Unreleased]") ; next }
    inside' CHANGELOG.md >dist/NOTES.md
[ -s dist/NOTES.md ] || { echo "CHANGELOG.md has no section for $version" >&2; exit 1; }
python3 deploy/sbom.py "$version" "$deb" .build/workspace-state.json "dist/aasa-monitor-$version.spdx.json"
if [ "$(id -u)" -eq 0 ]; then
    deploy/container/image.sh "$deb"
else
    echo "dist/ has no image: only root can make one (sudo make image)" >&2
fi
(cd dist && sha256sum aasa-monitor* NOTES.md | grep -v '\.sha256$' >SHA256SUMS)
cat dist/SHA256SUMS
