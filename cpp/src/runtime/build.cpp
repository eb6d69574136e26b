#include "novum/runtime/build.h"

#include "novum/runtime/simd.h"

namespace novum {

std::string compiler() {
#if defined(__clang__)
    return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
    return std::string("gcc ") + __VERSION__;
#else
    return "unknown";
#endif
}

namespace {

/// The instruction level whose vectors have so many bytes.
std::string level_of(int bytes) { return bytes == 64 ? "x86-64-v4" : bytes == 32 ? "x86-64-v3" : "default"; }

}  // namespace

std::string simd_level() {
#if defined(NOVUM_OWN_BYTES)
    return level_of(NOVUM_OWN_BYTES);
#else
    return level_of(processor_bytes());  // the clones do not ask the environment
#endif
}

std::vector<std::string> levels() {
#if defined(NOVUM_OWN_BYTES)
    return {level_of(NOVUM_OWN_BYTES)};
#else
    return {level_of(64), level_of(32), level_of(16)};
#endif
}

std::string why_not_here() {
#if defined(NOVUM_OWN_BYTES) && !defined(NOVUM_EVERYWHERE)
    const std::string what = "this build of novum has kernels for one instruction level alone, " + level_of(NOVUM_OWN_BYTES);
    if (processor_bytes() < NOVUM_OWN_BYTES)
        return what + ", that of the machine it was compiled on, and this processor has " + level_of(processor_bytes()) +
               "; build it here (make dev), or install a wheel, which has all levels (make wheel)";
    const char* requested = std::getenv("NOVUM_SIMD_BYTES");
    if (requested && std::atoi(requested) != NOVUM_OWN_BYTES)
        return what + ", and NOVUM_SIMD_BYTES=" + requested + " requests another; a wheel has all levels (make wheel, make test-levels)";
#endif
    return "";
}

bool sanitized() noexcept {
#if defined(__SANITIZE_ADDRESS__)
    return true;
#else
    return false;
#endif
}

}  // namespace novum
