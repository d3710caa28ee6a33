#!/usr/bin/env bash
# Installs a .deb in a separate Debian and uses it: a check, the daemon, an acknowledgement, an upgrade, a removal, a purge.
#   test.sh FILE.deb      SUITE=trixie: another Debian than this machine's; DEBIAN=FOLDER: a copy of this root instead of a new one
set -euo pipefail

deb=$(readlink -e "$1")
cd "$(dirname "$0")"
skip() { echo "skipped: $*"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "only root can set up a separate Debian"
command -v debootstrap >/dev/null || skip "debootstrap is not installed (make setup)"
unshare --mount true 2>/dev/null || skip "this container may not mount file systems"

# The mirror that this machine gets its own packages from.
own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
codename=${SUITE:-$own}
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$own" '$2 == release && $3 == "main" { print $1; exit }')
mirror=${mirror%/}
[ -n "$mirror" ] || skip "apt has no mirror for Debian $own"
curl -q -sSf --max-time 30 -o /dev/null "$mirror/dists/$codename/Release" || skip "the mirror $mirror does not answer"

work=$(mktemp -d)
root=$work/root
running=()
finish() {
    local process
    for process in "${running[@]}"; do kill "$process" 2>/dev/null || true; done
    wait
    mountpoint -q "$root/proc" && umount "$root/proc"
    rm -rf "$work"
}
trap finish EXIT

step() { printf '\n-- %s\n' "$*"; }
fail() {
    [ ! -s "$work/daemon" ] || tail -20 "$work/daemon" >&2
    echo "FAILED: $*" >&2
    exit 1
}
enter=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root")
inside() { "${enter[@]}" "$@"; }
# expect CODE WORDS COMMAND...: the command must end with this exit code and print these words.
expect() {
    local wanted=$1 words=$2 code=0
    shift 2
    inside "$@" >"$work/said" 2>&1 || code=$?
    [ "$code" = "$wanted" ] || { cat "$work/said"; fail "exit code $code, not $wanted: $*"; }
    [ -z "$words" ] || grep -qF -- "$words" "$work/said" || { cat "$work/said"; fail "'$words' is missing: $*"; }
}
until_true() {
    local what=$1 attempt
    shift
    for attempt in $(seq 6000); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "$what"
}

step "Debian $codename from $mirror"
if [ -n "${DEBIAN:-}" ]; then
    cp -a "$DEBIAN" "$root"
else
    debootstrap --variant=minbase "$codename" "$root" "$mirror" >"$work/log" 2>&1 || { tail -20 "$work/log"; fail debootstrap; }
fi
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"

step "install"
cp "$deb" "$root/aasa-monitor.deb"
inside apt-get update -qq
inside apt-get install -y -qq /aasa-monitor.deb >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "the installation"; }
expect 0 "aasa-monitor 0." aasa-monitor --version
expect 0 "/var/lib/aasa-monitor" getent passwd aasa-monitor
expect 0 "aasa-monitor:aasa-monitor 2770" stat -c '%U:%G %a' /var/lib/aasa-monitor
expect 78 "'domains' is empty; name at least one" aasa-monitor config check
expect 78 "'domains' is empty; name at least one" aasa-monitor run --config /etc/aasa-monitor/monitor.yaml
expect 66 "there is no store at /var/lib/aasa-monitor/aasa-monitor.db" aasa-monitor store check
expect 0 "" test ! -e /var/lib/aasa-monitor/aasa-monitor.db
expect 0 "" test ! -e /etc/systemd/system/multi-user.target.wants/aasa-monitor.service
for file in usr/share/man/man1/aasa-monitor-check.1.gz usr/share/bash-completion/completions/aasa-monitor \
    usr/share/zsh/vendor-completions/_aasa-monitor usr/share/fish/vendor_completions.d/aasa-monitor.fish \
    usr/share/man/man5/monitor.yaml.5.gz usr/share/aasa-monitor/container/kubernetes.yaml \
    usr/share/aasa-monitor/ci/aasa-ci.sh usr/share/aasa-monitor/ci/gitlab.yml \
    usr/share/aasa-monitor/prometheus/aasa-monitor.rules.yml usr/share/aasa-monitor/prometheus/grafana-dashboard.json \
    usr/share/doc/aasa-monitor/README.md lib/systemd/system/aasa-monitor.service; do
    [ -s "$root/$file" ] || fail "$file is missing"
done
zcat "$root/usr/share/man/man1/aasa-monitor-init.1.gz" | grep -q '^65' && fail "the man page of init lists exit codes of other commands"
inside bash -n /usr/share/bash-completion/completions/aasa-monitor
systemd-analyze verify --man=no --root="$root" aasa-monitor.service || fail "the unit"
exposure=$(systemd-analyze security --offline=true --root="$root" aasa-monitor.service | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\) .*/\1/p')
awk -v exposure="$exposure" 'BEGIN { exit !(exposure > 0 && exposure < 1.5) }' || fail "exposure $exposure"

step "check, against a site and a CDN on loopback"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 60 -subj /CN=test \
    -addext "subjectAltName=DNS:good.test,DNS:bad.test,DNS:other.test,DNS:cdn.test" -keyout "$work/key.pem" -out "$root/ca.pem" 2>/dev/null
cat "$work/key.pem" "$root/ca.pem" >"$work/server.pem"
python3 site.py "$work/server.pem" "$work/port" &
running+=($!)
until_true "the site does not listen" test -s "$work/port"
port=$(cat "$work/port")
network=(--cacert /ca.pem --connect-to "::127.0.0.1:$port" --cdn-url https://cdn.test/a/v1)
expect 0 "good.test" aasa-monitor check "${network[@]}" good.test
# A file that names no domain yet must not cause a message here.
grep -q 'is not used' "$work/said" && fail "there is a message about the packaged configuration"
expect 1 "403" aasa-monitor check "${network[@]}" bad.test

step "the first screen of the README: check, init, alert test, and an alert in the chat"
mkdir "$work/received" "$work/first" "$root/root/first"
python3 receivers.py "$work/first" &
running+=($!)
until_true "the receivers do not listen" test -s "$work/first/mail.port"
expect 0 "monitor.yaml: 1 domain; put the channel's address into webhook.url" \
    sh -c 'cd /root/first && aasa-monitor init bad.test --channel webhook'
expect 78 "webhook.url" sh -c 'cd /root/first && aasa-monitor alert test'
echo "http://127.0.0.1:$(cat "$work/first/webhook.port")/aasa" >"$root/root/first/webhook.url"
expect 0 "ops" sh -c 'cd /root/first && aasa-monitor alert test'
grep -qr '"type": *"test"' "$work/first" || fail "the chat did not get the test"
# The test's own site and CDN, and shorter waits.
sed -i -e 's/^  interval: 5m /  interval: 1s /' -e 's/^  group_wait: 10s /  group_wait: 1s /' -e 's/127.0.0.1:9630/127.0.0.1:0/' \
    "$root/root/first/monitor.yaml"
printf 'network: {ca_file: /ca.pem, connect_to: ["::127.0.0.1:%s"]}\ncdn: {base_url: "https://cdn.test/a/v1"}\n' "$port" \
    >>"$root/root/first/monitor.yaml"
"${enter[@]}" sh -c 'cd /root/first && exec aasa-monitor run' 2>"$work/daemon" &
first=$!
running+=("$first")
until_true "the chat gets no alert" grep -qr 'incident.firing' "$work/first"
kill -TERM "$first"
wait "$first" || fail "the daemon ended with $?"

step "the service: three domains, a webhook and e-mail, an acknowledgement, the reason"
python3 receivers.py "$work/received" &
running+=($!)
until_true "the receivers do not listen" test -s "$work/received/mail.port"
python3 - "$root/etc/aasa-monitor/monitor.yaml" "$port" "$work/received" <<'PYTHON'
import sys
path, port, received = sys.argv[1:]
text = open(path, encoding="utf-8").read()
webhook, mail = (open(f"{received}/{kind}.port").read() for kind in ("webhook", "mail"))
def replace(old, new):
    global text
    assert text.count(old) == 1, old
    text = text.replace(old, new)
replace("\ndomains: []             # yours, such as [example.com], or one per line without the brackets\n", "\ndomains:\n  - good.test\n  - {domain: bad.test, interval: 1s}\n  - {domain: other.test, interval: 1s}\n")
replace("  listen: 127.0.0.1:9630", "  listen: 127.0.0.1:0")
replace("  group_wait: 10s ", "  group_wait: 1s ")
replace("\n  channels:\n", f"""
  channels:
    - {{name: hook, type: webhook, url: "http://127.0.0.1:{webhook}/aasa"}}
    - {{name: mail, type: email, url: "smtp://127.0.0.1:{mail}", from: monitor@example.net, to: [ops@example.net]}}
""")
text += f'network: {{ca_file: /ca.pem, connect_to: ["::127.0.0.1:{port}"]}}\ncdn: {{base_url: "https://cdn.test/a/v1"}}\n'
open(path, "w", encoding="utf-8").write(text)
PYTHON
expect 0 "3 domains" aasa-monitor config check
expect 0 "hook" aasa-monitor alert test
grep -qr '"type": *"test"' "$work/received" || fail "the webhook did not get the test"
grep -qrl '^Subject: ' "$work/received" || fail "the mail server did not get the test"
daemon() {
    # Each of these programs replaces itself with the next one, so the process ID is the daemon's.
    "${enter[@]}" setpriv --reuid aasa-monitor --regid aasa-monitor --init-groups --no-new-privs sh -c \
        'umask 0007; exec aasa-monitor run --config /etc/aasa-monitor/monitor.yaml' 2>"$work/daemon" &
    daemon=$!
    running+=("$daemon")
    until_true "the daemon does not listen" grep -q 'status page at http' "$work/daemon"
    page=$(sed -n 's|.*status page at \(http[^ ]*\)/.*|\1|p' "$work/daemon" | head -1)
}
stop() {
    kill -TERM "$daemon"
    wait "$daemon" || fail "the daemon ended with $?"
}
daemon
until_true "the webhook gets no alert" grep -qr 'incident.firing' "$work/received"
until_true "the mail server gets no alert" grep -qrE '^Subject: .*(bad|other).test' "$work/received"
expect 1 "bad.test" aasa-monitor status
expect 1 "other.test" aasa-monitor status
# An operator in the service's group, with a plain shell.
inside useradd --groups aasa-monitor eva
expect 0 "403" setpriv --reuid eva --regid eva --init-groups aasa-monitor history bad.test
expect 0 "acknowledged by eva" setpriv --reuid eva --regid eva --init-groups aasa-monitor ack bad.test --reason "on it"
expect 0 "incident" aasa-monitor unack bad.test
expect 0 "" aasa-monitor silence bad.test --for 1h --reason "walk"
stop
# Files that root and the operator wrote must not lock the service out of its store.
expect 0 "" sh -c 'test -z "$(find /var/lib/aasa-monitor ! -user aasa-monitor ! -user eva -o ! -group aasa-monitor)"'
daemon
until_true "the incident is missing after the restart" sh -c "curl -q -sSf '$page/api/v1/incidents' | grep -q bad.test"
stop

step "upgrade with another example: no questions, the store and the changed configuration stay"
dpkg-deb -R "$deb" "$work/next"
version=$(dpkg-deb -f "$deb" Version)
sed -i "s/^Version: .*/Version: $version+next/" "$work/next/DEBIAN/control"
echo "# new" >>"$work/next/usr/share/aasa-monitor/monitor.yaml"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/next" "$root/next.deb" >/dev/null
cp "$root/etc/aasa-monitor/monitor.yaml" "$work/edited"
# Like an unattended upgrade: without a terminal, and nobody answers.
inside apt-get install -y -qq /next.deb >"$work/log" 2>&1 </dev/null || { cat "$work/log"; fail "the upgrade"; }
cmp "$work/edited" "$root/etc/aasa-monitor/monitor.yaml" || fail "the upgrade changed the configuration"
expect 0 "# new" cat /usr/share/doc/aasa-monitor/examples/monitor.yaml
[ -z "$(find "$root/etc/aasa-monitor" -name '*.dpkg-*')" ] || fail "the upgrade left a second configuration"
expect 1 "bad.test" aasa-monitor status
# A configuration that was deleted on purpose does not come back.
rm "$root/etc/aasa-monitor/monitor.yaml"
inside dpkg --force-downgrade -i /aasa-monitor.deb >"$work/log" 2>&1 </dev/null || { cat "$work/log"; fail "the second upgrade"; }
[ ! -e "$root/etc/aasa-monitor/monitor.yaml" ] || fail "the upgrade brought a deleted configuration back"
cp "$work/edited" "$root/etc/aasa-monitor/monitor.yaml"

step "removal keeps both, and a new installation uses them"
inside dpkg -r aasa-monitor >"$work/log" 2>&1 || { cat "$work/log"; fail "the removal"; }
[ -s "$root/var/lib/aasa-monitor/aasa-monitor.db" ] || fail "the removal deleted the store"
[ -s "$root/etc/aasa-monitor/monitor.yaml" ] || fail "the removal deleted the configuration"
[ ! -e "$root/usr/bin/aasa-monitor" ] || fail "the removal left the program"
inside dpkg -i /aasa-monitor.deb >"$work/log" 2>&1 </dev/null || { cat "$work/log"; fail "the second installation"; }
expect 1 "bad.test" aasa-monitor status

step "purge deletes them"
inside dpkg -P aasa-monitor >"$work/log" 2>&1 || { cat "$work/log"; fail "the purge"; }
left=$(cd "$root" && find etc usr var lib -xdev -name '*aasa-monitor*' ! -path 'var/log/*' ! -path 'var/cache/*')
[ -z "$left" ] || fail "the purge left: $left"

printf '\nthe package installs, runs, upgrades and uninstalls\n'
