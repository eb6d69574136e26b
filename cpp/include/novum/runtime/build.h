// How the library was built and which of its levels this processor runs. O(1).
#pragma once
#include <string>
#include <vector>

namespace novum {

/// Name and version of the compiler.
std::string compiler();

/// The instruction level whose copies of the loops run here: "x86-64-v4", "x86-64-v3", or "default" (see simd.h).
std::string simd_level();

/// The instruction levels that were compiled: all, or the one of the machine that compiled.
std::vector<std::string> levels();

/// Why the kernels of this build cannot run as requested on this processor; empty where they can.
std::string why_not_here();

/// Whether the library was built with the sanitizers.
bool sanitized() noexcept;

}  // namespace novum
