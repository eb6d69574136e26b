// The key of a node's draws: a hash of the path to it, so that the order in which nodes are grown changes no draw.
#pragma once
#include <cstdint>

namespace novum {

/// The key of a child: a bijective mix of its parent's and its side, so that paths of any depth differ.
inline std::uint64_t child_key(std::uint64_t key, bool right) {
    constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15u;
    key = (key + GOLDEN + right) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
}

}  // namespace novum
