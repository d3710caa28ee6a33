#!/usr/bin/env bash
# Makes the image of a .deb, runs it as the manifests would (read-only root, no capability, a volume), and restarts it.
#   test.sh FILE.deb PYTHON      PYTHON: one with the packages of requirements.txt
set -euo pipefail

deb=$(readlink -e "$1")
python=$(realpath -s "$2")
cd "$(dirname "$0")"
deploy=$(readlink -e ../../deploy/container)
skip() { echo "skipped: $*"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "only root can make an image"
for tool in debootstrap umoci crun; do command -v "$tool" >/dev/null || skip "$tool is not installed (make setup)"; done
unshare --mount mount -t cgroup2 none /mnt 2>/dev/null || skip "this container may not mount"

work=$(mktemp -d)
running=()
# crun wants the one hierarchy of cgroups that today's machines have. It gets a view of its own, and manages none.
engine() { unshare --mount sh -c 'umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup && exec crun --root "$0" --cgroup-manager=disabled "$@"' "$work/state" "$@"; }
finish() {
    local process
    engine delete --force aasa >/dev/null 2>&1 || true
    for process in "${running[@]}"; do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap finish EXIT
step() { printf '\n-- %s\n' "$*"; }
fail() {
    [ ! -s "$work/log" ] || tail -20 "$work/log" >&2
    echo "FAILED: $*" >&2
    exit 1
}
until_true() {
    local what=$1 attempt
    shift
    for attempt in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "$what"
}

step "manifests"
mkdir "$work/configuration" "$work/secrets" "$work/volume"
if [ -x "$python" ]; then
    "$python" manifests.py "$deploy/kubernetes.yaml" "$work/secrets"
    mv "$work/secrets/monitor.yaml" "$work/configuration/"
    sed '/^#/d' "$deploy/monitor.yaml" | diff - "$work/configuration/monitor.yaml" || fail "compose.yaml and kubernetes.yaml differ in their configuration"
else
    echo "skipped: the schemas of Kubernetes are not installed (make setup)"
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
cp "$work/bundle/config.json" "$work/bundle/image.json"
bundle() { cp "$work/bundle/image.json" "$work/bundle/config.json" && "$python" bundle.py "$work/bundle/config.json" \
    "$work/configuration:/etc/aasa-monitor:ro" "$work/secrets:/run/secrets:ro" "$work/volume:/var/lib/aasa-monitor" "$@"; }
[ -x "$python" ] || python=/usr/bin/python3
chown 963:963 "$work/volume"
chmod 711 "$work"
chmod -R a+rX "$work/configuration" "$work/secrets"

step "as it stands it refuses to start, and says what is to be replaced"
bundle
code=0
(cd "$work/bundle" && engine run aasa) >"$work/log" 2>&1 || code=$?
[ "$code" = 78 ] || fail "exit code $code, not 78"
for words in "'domains' is empty" "aasa-token" "aasa-slack-url"; do grep -qF -- "$words" "$work/log" || fail "'$words' is missing"; done

step "with a site whose copy at Apple is another, as user 963 on a read-only root"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 60 -subj /CN=test \
    -addext "subjectAltName=DNS:good.test,DNS:other.test,DNS:cdn.test" -keyout "$work/key.pem" -out "$work/configuration/ca.pem" 2>/dev/null
cat "$work/key.pem" "$work/configuration/ca.pem" >"$work/server.pem"
"$python" ../Package/site.py "$work/server.pem" "$work/port" &
running+=($!)
until_true "the site does not listen" test -s "$work/port"
free=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
token=$(openssl rand -hex 16)
printf '%s' "$token" >"$work/secrets/aasa-token"
printf 'https://hooks.test/services/T/B/none' >"$work/secrets/aasa-slack-url"
sed -i -e "s|^domains: .*|domains: [good.test, other.test]|" -e "s|0.0.0.0:9630|0.0.0.0:$free|" "$work/configuration/monitor.yaml"
cat >>"$work/configuration/monitor.yaml" <<YAML
network: {ca_file: /etc/aasa-monitor/ca.pem, connect_to: ["::127.0.0.1:$(cat "$work/port")"], canaries: []}
cdn: {base_url: "https://cdn.test/a/v1", edges: false}
defaults: {interval: 1s, failure_threshold: 1, stale_after: 1s}
YAML
chmod -R a+rX "$work/configuration" "$work/secrets"
page() { curl -q -sSf --max-time 5 -H "Authorization: Bearer $token" "http://127.0.0.1:$free$1"; }
listed() { page /api/v1/incidents | grep -o '"id" *: *"[^"]*"' | sort -u; }
live() {
    bundle
    (cd "$work/bundle" && exec unshare --mount sh -c 'umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup && exec crun --root "$0" --cgroup-manager=disabled run aasa' "$work/state") >"$work/log" 2>&1 &
    running+=($!)
    until_true "it is not ready" page /readyz
}
live
engine exec aasa curl -q -fsS -o /dev/null "http://127.0.0.1:$free/healthz" || fail "the health check inside"
engine exec aasa sh -c 'touch /usr/bin/x 2>/dev/null' && fail "the root can be written"
engine exec aasa grep -q '^Uid:[^0-9]*963[^0-9]' /proc/1/status || fail "the user"
engine exec aasa grep -q '^CapEff:.*0000000000000000$' /proc/1/status || fail "capabilities"
until_true "no incident" sh -c "$(declare -f page listed); token=$token free=$free; [ -n \"\$(listed)\" ]"
before=$(listed)

step "it is killed and started again: the same incident, in the same store"
engine kill aasa KILL
wait "${running[-1]}" || true
engine delete --force aasa >/dev/null 2>&1 || true
live
[ "$(listed)" = "$before" ] || fail "the incidents are others: $before, now $(listed)"

step "it is stopped by its signal and ends well"
engine kill aasa TERM
code=0
wait "${running[-1]}" || code=$?
[ "$code" = 0 ] || fail "exit code $code"
unset 'running[-1]'
echo "the image runs, is healthy, and loses nothing"
