#include "novum/runtime/indices.h"

#include <algorithm>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

// Read as unsigned, a negative index is larger than any limit.
template <class Unsigned, class Index>
NOVUM_INLINE bool below(const Index* index, std::size_t count, std::size_t limit) {
    Unsigned most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, static_cast<Unsigned>(index[i]));
    return count == 0 || most < limit;
}

NOVUM_CLONES bool below_32(const std::int32_t* index, std::size_t count, std::size_t limit) {
    return below<std::uint32_t>(index, count, limit);
}
NOVUM_CLONES bool below_64(const std::int64_t* index, std::size_t count, std::size_t limit) {
    return below<std::uint64_t>(index, count, limit);
}

constexpr std::size_t HALF_32 = std::size_t(1) << 31, HALF_64 = std::size_t(1) << 63;  // no limit may let a negative index in

}  // namespace

bool inside(const std::int32_t* index, std::size_t count, std::size_t limit) { return below_32(index, count, std::min(limit, HALF_32)); }
bool inside(const std::int64_t* index, std::size_t count, std::size_t limit) { return below_64(index, count, std::min(limit, HALF_64)); }

}  // namespace novum
