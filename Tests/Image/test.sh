#!/usr/bin/env bash
# Makes the image of a .deb, and runs it as the manifests would (read-only root, no capability, a volume): first without changes,
# then in the walk of EndToEndTests, with Prometheus and Alertmanager.
#   test.sh FILE.deb PYTHON      PYTHON: one with the packages of requirements.txt; the tests are built (.ci/build --build-tests)
set -euo pipefail

deb=$(readlink -e "$1")
python=$(realpath -s "$2")
here=$(dirname "$(readlink -e "$0")")
cd "$here/../.."
deploy=$PWD/deploy/container
skip() { echo "skipped: $*"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "only root can make an image"
for tool in debootstrap umoci crun; do command -v "$tool" >/dev/null || skip "$tool is not installed (make setup)"; done
unshare --mount mount -t cgroup2 none /mnt 2>/dev/null || skip "this container may not mount file systems"

work=$(mktemp -d)
finish() {
    "$here/engine.sh" "$work" delete --force aasa >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
step() { printf '\n-- %s\n' "$*"; }
fail() {
    [ ! -s "$work/log" ] || tail -60 "$work/log" >&2
    echo "FAILED: $*" >&2
    exit 1
}

step "manifests"
mkdir "$work/configuration" "$work/secrets" "$work/volume"
if [ -x "$python" ]; then
    "$python" "$here/manifests.py" "$deploy/kubernetes.yaml" "$work/secrets"
    mv "$work/secrets/monitor.yaml" "$work/configuration/"
    sed '/^#/d' "$deploy/monitor.yaml" | diff - "$work/configuration/monitor.yaml" || fail "compose.yaml and kubernetes.yaml have different configurations"
else
    echo "skipped: the Kubernetes schemas are not installed (make setup)"
    sed '/^#/d' "$deploy/monitor.yaml" >"$work/configuration/monitor.yaml"
    echo REPLACE-ME | tee "$work/secrets/aasa-token" >"$work/secrets/aasa-slack-url"
fi
if command -v docker-compose >/dev/null; then
    (cp "$deploy/compose.yaml" "$work/compose.yaml" && cd "$work" && touch aasa-token aasa-slack-url && docker-compose config -q) || fail "compose.yaml"
else
    echo "skipped: docker-compose is not installed (make setup)"
fi

step "image"
"$deploy/image.sh" "$deb" "$work/image.tar"
mkdir "$work/layout"
tar -C "$work/layout" -xf "$work/image.tar"
umoci unpack --image "$work/layout:$(dpkg-deb -f "$deb" Version)" "$work/bundle" >/dev/null
[ -x "$python" ] || python=/usr/bin/python3
chown 963:963 "$work/volume"
# Other users than root may enter, including the user of the image.
chmod 711 "$work"
chmod -R a+rX "$work/configuration" "$work/secrets"

step "without changes it refuses to start, and says what to replace"
"$python" "$here/bundle.py" "$work/bundle" "$work/configuration:/etc/aasa-monitor:ro" "$work/secrets:/run/secrets:ro" \
    "$work/volume:/var/lib/aasa-monitor"
code=0
"$here/engine.sh" "$work" run aasa >"$work/log" 2>&1 || code=$?
[ "$code" = 78 ] || fail "exit code $code, not 78"
for words in "'domains' is empty" "aasa-token" "aasa-slack-url"; do grep -qF -- "$words" "$work/log" || fail "'$words' is missing"; done

step "the walk"
AASA_IMAGE=$work .build/debug/aasa-monitorPackageTests.xctest --testing-library swift-testing --filter '^EndToEndTests\..*WalkTests/' \
    >"$work/log" 2>&1 || fail "the walk"
tail -3 "$work/log"
