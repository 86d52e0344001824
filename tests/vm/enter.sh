#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# enter.sh DIRECTORY COMMAND…: runs it in that root. Expects a mount namespace of its own, with which all of this ends.
set -euo pipefail
directory=$1
shift

mount -t proc proc "$directory/proc"
mount -t sysfs sysfs "$directory/sys"
mount -t devtmpfs devtmpfs "$directory/dev"
mkdir -p "$directory/dev/pts"
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts "$directory/dev/pts"
if [ -e /etc/resolv.conf ]; then cp -L /etc/resolv.conf "$directory/etc/resolv.conf"; fi

# Nothing to do where programs run on this processor, or where the system already knows how to run them.
if chroot "$directory" /bin/true 2>/dev/null; then exec chroot "$directory" "$@"; fi

# A user namespace may have a binfmt_misc of its own (since Linux 6.7). Its users are the machine's.
export directory
# shellcheck disable=SC2016  # for the inner shell
unshare --user --mount bash -euo pipefail -c '
  until grep -q 65536 /proc/self/uid_map; do sleep 0.05; done
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
  mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
  echo ":qemu-aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64-static:OCF" >/proc/sys/fs/binfmt_misc/register
  exec chroot "$directory" "$@"' inside "$@" &
sleep 0.3
echo 0 0 65536 >"/proc/$!/uid_map"
echo 0 0 65536 >"/proc/$!/gid_map"
wait $!
