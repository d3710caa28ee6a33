#!/usr/bin/env bash
# Makes the image of the Dockerfile beside it without a container engine: an OCI archive for podman, docker, skopeo or a registry.
#   image.sh FILE.deb [ARCHIVE]      as root; with debootstrap and umoci, from the packages of this machine's Debian
set -euo pipefail

deb=$(readlink -e "$1")
here=$(dirname "$(readlink -e "$0")")
version=$(dpkg-deb -f "$deb" Version)
architecture=$(dpkg-deb -f "$deb" Architecture)
# The same Debian packages give the same image: everything has one date, its files too. useradd uses it as the day of an account.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)} LC_ALL=C.UTF-8 TZ=UTC0
date=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
umask 022
archive=$(realpath -m "${2:-dist/aasa-monitor-$version-$architecture.oci.tar}")
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$codename" '$2 == release && $3 == "main" { print $1; exit }')

work=$(mktemp -d)
trap 'mountpoint -q "$work/bundle/rootfs/proc" && umount "$work/bundle/rootfs/proc"; rm -rf "$work"' EXIT
umoci init --layout "$work/layout"
umoci new --image "$work/layout:$version"
umoci unpack --image "$work/layout:$version" "$work/bundle" >/dev/null
root=$work/bundle/rootfs
debootstrap --arch "$architecture" --variant=minbase "$codename" "$root" "${mirror%/}" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"

# Runs the Dockerfile's own instructions, lines joined, so that nothing is written twice.
settings=()
while read -r instruction rest; do
    case $instruction in
        COPY) install -m 644 -t "$root${rest##* }" "$deb" ;;
        RUN) chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -ec "$rest" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; } ;;
        ENV) settings+=(--config.env "$rest") ;;
        USER) settings+=(--config.user "$rest") ;;
        WORKDIR) settings+=(--config.workingdir "$rest") ;;
        VOLUME) settings+=(--config.volume "$rest") ;;
        EXPOSE) settings+=(--config.exposedports "$rest/tcp") ;;
        STOPSIGNAL) settings+=(--config.stopsignal "$rest") ;;
        ENTRYPOINT | CMD)
            while read -r word; do settings+=("--config.${instruction,,}" "$word"); done < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), sep="\n")' "$rest")
            ;;
        # An OCI image has no health check: compose.yaml and kubernetes.yaml beside this file have their own.
        FROM | HEALTHCHECK) ;;
        *) echo "the Dockerfile has an instruction that image.sh does not know: $instruction" >&2; exit 1 ;;
    esac
done < <(sed -e '/^ *#/d' "$here/Dockerfile" | sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba}' | sed '/^$/d')

umount "$root/proc"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/cache/apt/*.bin "$root"/var/lib/apt/lists/* "$root"/var/log/* \
    "$root/var/cache/ldconfig/aux-cache" "$root/etc/resolv.conf"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
umoci repack --image "$work/layout:$version" --history.created "$date" "$work/bundle"
umoci config --image "$work/layout:$version" --os linux --architecture "$architecture" \
    --created "$date" --history.created "$date" \
    --config.label org.opencontainers.image.title=aasa-monitor \
    --config.label "org.opencontainers.image.version=$version" "${settings[@]}"
umoci gc --layout "$work/layout"
mkdir -p "$(dirname "$archive")"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner -C "$work/layout" -cf "$archive" .
printf '%s: %s\n' "$archive" "$(du -h "$archive" | cut -f1)"
