#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Proves, as root, that ./dev works where nobody has been before: a bare Debian in a directory, which goes away
# afterwards.
#
# usage: bare-debian.sh [VERB…]       what to run of ./dev there; try and test when nothing is said
#   SUITE      of Debian: bookworm (Debian 12) when nothing is said, trixie, sid
#   MIRROR     where packages come from (http://deb.debian.org/debian)
#   APT_CONF   a file of settings for apt, where the network needs some
#   TMPDIR     where the directory is made; some 6 GB
# http_proxy and https_proxy are handed on.
set -euo pipefail

suite=${SUITE:-bookworm}
source=$(cd "$(dirname "$0")/.." && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}
verbs=("$@")
if [ $# = 0 ]; then verbs=(try test); fi

root=$(mktemp -d "${TMPDIR:-/tmp}/bare-debian-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' HUP INT TERM

chmod 755 "$root" # ordinary users go in and out of it, too
debootstrap --variant=minbase "$suite" "$root" "$mirror"
printf 'deb %s %s main\n' "$mirror" "$suite" >"$root/etc/apt/sources.list"
if [ -n "${APT_CONF:-}" ]; then cp "$APT_CONF" "$root/etc/apt/apt.conf.d/99local"; fi
git clone -q --no-hardlinks "$source" "$root/srv/capture"

# The mounts stand in a namespace of their own and end with it, however it ends.
export root suite
unshare --mount --propagation private bash -euo pipefail -s "${verbs[@]}" <<'INSIDE'
# No chroot: in one there are no user namespaces.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t devtmpfs devtmpfs "$root/dev"
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts "$root/dev/pts"
cd "$root"
pivot_root . mnt
cd /
umount -l mnt
for verb in "$@"; do
  printf '\n=== ./dev %s in a bare %s\n' "$verb" "$suite"
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 ${CI:+CI=$CI} \
    ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} \
    /srv/capture/dev "$verb" </dev/null
done
INSIDE
