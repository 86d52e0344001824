/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records what threads did off the CPU. */
#include "helpers/recorder/bpf/off-cpu.h"

char program_license[] SEC("license") = "GPL";
