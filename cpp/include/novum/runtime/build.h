// How the library was built and which of its clones this processor runs. O(1).
#pragma once
#include <string>

namespace novum {

/// Name and version of the compiler.
std::string compiler();

/// The instruction set whose clones run here: "x86-64-v4", "x86-64-v3", or "default" (see simd.h).
std::string simd_level();

/// Whether the library was built with the sanitizers.
bool sanitized() noexcept;

}  // namespace novum
