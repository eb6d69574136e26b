#include <numeric>
#include <utility>

#include "novum/linear_model/sgd.h"

namespace novum::sgd {

void shuffle(const rng::Stream& stream, std::span<std::int64_t> order) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::size_t i = order.size(); i-- > 1;) {
        const rng::Block block = rng::block(stream, i >> 1, 0);  // two draws of 64 bits to a block
        const std::size_t half = 2 * (i & 1);
        std::swap(order[i], order[rng::below(std::uint64_t(block[half + 1]) << 32 | block[half], i + 1)]);
    }
}

}  // namespace novum::sgd
