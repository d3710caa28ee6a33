#!/bin/sh
# Runs crun on what test.sh unpacked: engine.sh FOLDER COMMAND ARGUMENT...   FOLDER/bundle is the image, FOLDER/state is crun's
# crun needs the unified cgroup hierarchy. It gets its own view of it, and manages no cgroups.
folder=$1
shift
# shellcheck disable=SC2016 # the inner shell's
exec unshare --mount sh -c 'umount -R /sys/fs/cgroup 2>/dev/null
    mount -t cgroup2 none /sys/fs/cgroup && cd "$0/bundle" && exec crun --root "$0/state" --cgroup-manager=disabled "$@"' "$folder" "$@"
