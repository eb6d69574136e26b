// Are the indices of a sparse matrix where they should be? Checked before a kernel follows them. O(count), as fast as they can be read.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// Whether all of index[0 .. count) are at least 0 and below `limit`.
bool inside(const std::int32_t* index, std::size_t count, std::size_t limit);
bool inside(const std::int64_t* index, std::size_t count, std::size_t limit);

}  // namespace novum
