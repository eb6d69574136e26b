// One place that says how leaf loops are compiled: a clone per instruction set, chosen when the library is loaded.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
// A plain "avx2" clone would have no fused multiply-add; the levels have.
#define NOVUM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define NOVUM_CLONES
#endif

// Helpers called from a clone must be inlined into it, or they stay at the default instruction set.
#define NOVUM_INLINE inline __attribute__((always_inline))
#define NOVUM_LAMBDA __attribute__((always_inline))

// Kernels that block registers by hand must know the width of a vector: `Kernel::run<BYTES>`, compiled per level, chosen by widest().
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define NOVUM_LEVELS 1
#else
#define NOVUM_LEVELS 0
#endif

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace novum {

#if NOVUM_LEVELS
template <class Kernel, class... A>
__attribute__((target("arch=x86-64-v4"), noinline)) auto run_64(A&&... a) {
    return Kernel::template run<64>(std::forward<A>(a)...);
}
template <class Kernel, class... A>
__attribute__((target("arch=x86-64-v3"), noinline)) auto run_32(A&&... a) {
    return Kernel::template run<32>(std::forward<A>(a)...);
}

/// Bytes of the widest vectors this processor has: 64, 32 or 16. NOVUM_SIMD_BYTES in the environment lowers it, to test narrower kernels.
inline int simd_bytes() {
    static const int bytes = [] {
        const int widest = __builtin_cpu_supports("x86-64-v4") ? 64 : __builtin_cpu_supports("x86-64-v3") ? 32 : 16;
        const char* asked = std::getenv("NOVUM_SIMD_BYTES");
        const int limit = asked ? std::atoi(asked) : widest;
        return limit == 16 || limit == 32 ? std::min(limit, widest) : widest;
    }();
    return bytes;
}
#else
inline int simd_bytes() { return 16; }
#endif

/// Call Kernel::run for the widest vectors of this processor.
template <class Kernel, class... A>
auto widest(A&&... a) {
#if NOVUM_LEVELS
    if (simd_bytes() == 64) return run_64<Kernel>(std::forward<A>(a)...);
    if (simd_bytes() == 32) return run_32<Kernel>(std::forward<A>(a)...);
#endif
    return Kernel::template run<16>(std::forward<A>(a)...);
}

}  // namespace novum
