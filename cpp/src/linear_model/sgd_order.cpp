#include <algorithm>
#include <vector>

#include "novum/linear_model/sgd.h"

namespace novum::sgd {

namespace {

constexpr std::size_t WINDOW = 1024;  // rows shuffled together: as many as a second-level cache holds
constexpr std::size_t PAGE = 16;  // neighbors that enter a window together; 64 pages from anywhere mix any order of the file

/// Uniform numbers below n < 2^32 from consecutive 32-bit words, four to a Philox block; bias below n 2^-32.
class Words {
public:
    Words(const rng::Stream& stream, std::uint64_t column) : stream(stream), column(column) {}
    std::size_t below(std::size_t n) {
        if (used == 4) {
            block = rng::block(stream, place++, column);
            used = 0;
        }
        return static_cast<std::size_t>((std::uint64_t(block[used++]) * n) >> 32);
    }

private:
    rng::Stream stream;
    std::uint64_t column, place = 0;
    rng::Block block{};
    std::size_t used = 4;
};

template <class T>
void permute(Words& words, T* first, std::size_t n) {
    for (std::size_t i = n; i-- > 1;) std::swap(first[i], first[words.below(i + 1)]);
}

}  // namespace

void shuffle(const rng::Stream& stream, std::span<std::int64_t> order) {
    const std::size_t n = order.size(), page = n > WINDOW ? PAGE : 1, pages = (n + page - 1) / page;
    Words across(stream, 0), within(stream, 1);
    std::vector<std::int64_t> first(pages);
    for (std::size_t p = 0; p < pages; ++p) first[p] = static_cast<std::int64_t>(p * page);
    permute(across, first.data(), pages);
    std::size_t k = 0;
    for (const std::int64_t begin : first)
        for (std::int64_t i = begin; i < std::min(begin + static_cast<std::int64_t>(page), static_cast<std::int64_t>(n)); ++i) order[k++] = i;
    if (page > 1)
        for (std::size_t begin = 0; begin < n; begin += WINDOW) permute(within, order.data() + begin, std::min(WINDOW, n - begin));
}

}  // namespace novum::sgd
