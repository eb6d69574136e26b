#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "novum/linear_model/sgd.h"
#include "novum/runtime/vector_math.h"

namespace novum::sgd {

namespace {

constexpr std::size_t BLOCKS = 64;  // of random numbers that are made together

// The 64-bit draws (two to a block) of neighbouring rows, a vector of blocks at a time: the numbers of rng::bits.
struct Draws {
    template <int BYTES>
    static NOVUM_INLINE void run(const rng::Stream& stream, std::uint64_t first, std::array<std::uint64_t, 2 * BLOCKS>& out) {
        using V = typename Doubles<BYTES>::I;
        constexpr std::size_t LANES = BYTES / 8;
        constexpr std::uint64_t LOW = 0xFFFFFFFFu;
        for (std::size_t top = 0; top < BLOCKS; top += LANES) {
            V c0, c1, c2 = V{} + stream.iteration, c3 = V{} + stream.purpose;
            for (std::size_t l = 0; l < LANES; ++l) {
                c0[l] = (first + top + l) & LOW;
                c1[l] = rng::high_word(first + top + l, 0);
            }
            std::uint32_t key0 = static_cast<std::uint32_t>(stream.seed), key1 = static_cast<std::uint32_t>(stream.seed >> 32);
            for (int round = 0; round < rng::ROUNDS; ++round) {
                const V p0 = c0 * rng::MULTIPLIER_0, p1 = c2 * rng::MULTIPLIER_1;
                c0 = (p1 >> 32) ^ c1 ^ key0;
                c1 = p1 & LOW;
                c2 = (p0 >> 32) ^ c3 ^ key1;
                c3 = p0 & LOW;
                key0 += rng::WEYL_0;
                key1 += rng::WEYL_1;
            }
            const V low = (c1 << 32) | c0, high = (c3 << 32) | c2;
            for (std::size_t l = 0; l < LANES; ++l) {
                out[2 * (top + l)] = low[l];
                out[2 * (top + l) + 1] = high[l];
            }
        }
    }
};

}  // namespace

void shuffle(const rng::Stream& stream, std::span<std::int64_t> order) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::array<std::uint64_t, 2 * BLOCKS> draws{};
    for (std::size_t end = order.size(); end > 1;) {
        const std::size_t begin = (end - 1) / draws.size() * draws.size();
        widest<Draws>(stream, begin / 2, draws);
        for (std::size_t i = end; i-- > std::max<std::size_t>(begin, 1);) std::swap(order[i], order[rng::below(draws[i - begin], i + 1)]);
        end = begin;
    }
}

}  // namespace novum::sgd
