// One place that says how leaf loops are compiled: a copy per instruction level, chosen when the library is loaded. A build for one machine
// (NOVUM_LEVELS=own, see CMakeLists.txt) has only the copies that a full build would choose there: the same machine code, compiled once.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define NOVUM_TARGET(level) __attribute__((target("arch=x86-64-" level)))
#else
#define NOVUM_TARGET(level)
#undef NOVUM_OWN_BYTES
#define NOVUM_OWN_BYTES 16  // one level for all processors
#define NOVUM_EVERYWHERE
#endif

// Loops that leave vectors to the compiler. NOVUM_OWN_BYTES: the width of vectors of the one level there is.
#if !defined(NOVUM_OWN_BYTES)
// A plain "avx2" clone would have no fused multiply-add; the levels have.
#define NOVUM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif NOVUM_OWN_BYTES == 64
#define NOVUM_CLONES NOVUM_TARGET("v4")
#elif NOVUM_OWN_BYTES == 32
#define NOVUM_CLONES NOVUM_TARGET("v3")
#else
#define NOVUM_CLONES
#endif

// Helpers called from a clone must be inlined into it, or they stay at the default instruction set.
#define NOVUM_INLINE inline __attribute__((always_inline))
#define NOVUM_LAMBDA __attribute__((always_inline))

namespace novum {

/// Bytes of the widest vectors this processor has: 64 (x86-64-v4), 32 (x86-64-v3) or 16.
inline int processor_bytes() {
#if defined(NOVUM_EVERYWHERE)
    return 16;
#else
    return __builtin_cpu_supports("x86-64-v4") ? 64 : __builtin_cpu_supports("x86-64-v3") ? 32 : 16;
#endif
}

/// Bytes of the vectors that kernels take. With all levels NOVUM_SIMD_BYTES in the environment lowers it, to test narrow kernels.
inline int simd_bytes() {
#if defined(NOVUM_OWN_BYTES)
    return NOVUM_OWN_BYTES;
#else
    static const int bytes = [] {
        const char* requested = std::getenv("NOVUM_SIMD_BYTES");
        const int limit = requested ? std::atoi(requested) : 64;
        return std::min(processor_bytes(), limit == 16 || limit == 32 ? limit : 64);
    }();
    return bytes;
#endif
}

// Kernels that block registers by hand must know the width of a vector: `Kernel::run<BYTES>`, compiled per level.
template <class Kernel, class... A>
__attribute__((noinline)) NOVUM_TARGET("v4") auto run_64(A&&... a) {
    return Kernel::template run<64>(std::forward<A>(a)...);
}
template <class Kernel, class... A>
__attribute__((noinline)) NOVUM_TARGET("v3") auto run_32(A&&... a) {
    return Kernel::template run<32>(std::forward<A>(a)...);
}
template <int BYTES, class Kernel, class... A>
auto run_at(A&&... a) {
    if constexpr (BYTES == 64)
        return run_64<Kernel>(std::forward<A>(a)...);
    else if constexpr (BYTES == 32)
        return run_32<Kernel>(std::forward<A>(a)...);
    else
        return Kernel::template run<16>(std::forward<A>(a)...);
}

/// Call Kernel::run for the widest vectors of this processor that are not wider than MOST bytes.
template <int MOST, class Kernel, class... A>
auto at_most(A&&... a) {
#if defined(NOVUM_OWN_BYTES)
    return run_at<std::min(NOVUM_OWN_BYTES, MOST), Kernel>(std::forward<A>(a)...);
#else
    if constexpr (MOST == 64)
        if (simd_bytes() == 64) return run_at<64, Kernel>(std::forward<A>(a)...);
    if (simd_bytes() >= 32) return run_at<32, Kernel>(std::forward<A>(a)...);
    return run_at<16, Kernel>(std::forward<A>(a)...);
#endif
}

/// Call Kernel::run for the widest vectors of this processor.
template <class Kernel, class... A>
auto widest(A&&... a) {
    return at_most<64, Kernel>(std::forward<A>(a)...);
}

/// The same without the level of 64 bytes, for kernels that are seldom called or gain nothing by it: a third less to compile.
template <class Kernel, class... A>
auto wide(A&&... a) {
    return at_most<32, Kernel>(std::forward<A>(a)...);
}

}  // namespace novum
