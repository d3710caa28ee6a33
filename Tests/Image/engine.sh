#!/bin/sh
# crun over what test.sh unpacked: engine.sh FOLDER COMMAND ARGUMENT...      FOLDER/bundle is the image, FOLDER/state is crun's
# crun wants the one hierarchy of cgroups that today's machines have. It gets a view of its own, and manages none.
folder=$1
shift
# shellcheck disable=SC2016 # the inner shell's
exec unshare --mount sh -c 'umount -R /sys/fs/cgroup 2>/dev/null
    mount -t cgroup2 none /sys/fs/cgroup && cd "$0/bundle" && exec crun --root "$0/state" --cgroup-manager=disabled "$@"' "$folder" "$@"
