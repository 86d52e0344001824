#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bare-debian.sh for newer releases of Debian, one after the other; all of them, also when one fails.
#
# usage: other-suites.sh SUITE…     as trixie, sid
set -euo pipefail

if [ $# = 0 ]; then
  echo "usage: other-suites.sh SUITE…" >&2
  exit 2
fi
failed=()
for suite in "$@"; do
  SUITE=$suite "$(dirname "$0")/bare-debian.sh" || failed+=("$suite")
done
if [ ${#failed[@]} != 0 ]; then
  echo "Failed: ${failed[*]}" >&2
  exit 1
fi
