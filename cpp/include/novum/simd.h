// One place that says how leaf loops are compiled: a clone per instruction set, chosen when the library is loaded.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
// A plain "avx2" clone would have no fused multiply-add; the levels have.
#define NOVUM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define NOVUM_HAS_CLONES
#else
#define NOVUM_CLONES
#endif

// Helpers called from a clone must be inlined into it, or they stay at the default instruction set.
#define NOVUM_INLINE inline __attribute__((always_inline))
