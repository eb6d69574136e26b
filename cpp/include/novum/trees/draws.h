// What trees draw at a node: functions of (seed, path to the node, column), so that the order of growing and the grower change nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/runtime/rng.h"
#include "novum/trees/node_key.h"

namespace novum::tree {

inline constexpr std::uint32_t COLUMN_DRAW = 0x636f6c75u, THRESHOLD_DRAW = 0x74726565u,
                               CATEGORY_DRAW = 0x63617465u;  // purposes of Philox streams
using novum::child_key;                                      // the root's key is zero

/// The numbers of a node for one purpose and place.
NOVUM_INLINE rng::Block draw_at(std::uint64_t key, std::uint32_t place, std::uint32_t purpose, std::uint64_t seed) {
    return rng::philox({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), place, purpose}, seed);
}

/// Which of the columns i, ..., d - 1 of a list is tried as number i.
NOVUM_INLINE std::size_t draw_column(std::uint64_t key, std::size_t i, std::size_t d, std::uint64_t seed) {
    const rng::Block draw = draw_at(key, static_cast<std::uint32_t>(i), COLUMN_DRAW, seed);
    return i + rng::below(std::uint64_t(draw[1]) << 32 | draw[0], d - i);
}

/// The share of a column's range below a drawn threshold, from the numbers of the node.
NOVUM_INLINE double threshold_share(const rng::Block& draw) { return rng::uniform<double>(std::uint64_t(draw[1]) << 32 | draw[0]); }

}  // namespace novum::tree
