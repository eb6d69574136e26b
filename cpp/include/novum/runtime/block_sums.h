// Sums over blocks of rows by a team of threads, merged in one binary tree whose shape depends on the number of blocks alone, the tree of
// novum.fold.blocks.merge_tree: the same bits for any number of threads, and the same as block by block through Python.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/team.h"

namespace novum {

/// Call part(first row, end, sums) for every block of `step` of `n` rows, where sums are `width` zeros to add to, and write the merged
/// sums to `out`. What a part throws is thrown again when no thread works any more. Needs blocks x width numbers of memory.
template <class Part>
void block_sums(Team& team, std::size_t n, std::size_t step, std::size_t width, double* out, Part&& part) {
    constexpr std::size_t TURNS = 16;      // blocks per thread between two looks for Ctrl-C
    constexpr std::size_t COLUMNS = 4096;  // of the sums that a thread merges at a time
    const std::size_t blocks = step ? (n + step - 1) / step : 0;
    if (blocks == 0) return std::fill_n(out, width, 0.0), void();
    std::vector<double> sums(blocks * width);
    std::mutex failing;
    std::exception_ptr failure;
    const std::size_t turn = TURNS * static_cast<std::size_t>(team.size());
    for (std::size_t from = 0; from < blocks; from += turn) {
        team.run(static_cast<std::uint32_t>(std::min(turn, blocks - from)), [&](std::uint32_t item, int) {
            const std::size_t block = from + item, first = block * step;
            try {
                part(first, std::min(n, first + step), sums.data() + block * width);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
            }
        });
        if (failure) std::rethrow_exception(failure);
        interrupt::poll();
    }
    // A binary counter of partial merges: (blocks in it, where it lies).
    std::vector<std::pair<std::size_t, std::size_t>> merges, stack;
    for (std::size_t block = 0; block < blocks; ++block) {
        std::size_t size = 1, at = block;
        while (!stack.empty() && stack.back().first == size) {
            merges.push_back({stack.back().second, at});
            at = stack.back().second;
            size *= 2;
            stack.pop_back();
        }
        stack.push_back({size, at});
    }
    std::size_t last = stack.back().second;
    for (stack.pop_back(); !stack.empty(); stack.pop_back()) {
        merges.push_back({stack.back().second, last});
        last = stack.back().second;
    }
    team.run(static_cast<std::uint32_t>((width + COLUMNS - 1) / COLUMNS), [&](std::uint32_t item, int) {
        const std::size_t begin = item * COLUMNS, end = std::min(width, begin + COLUMNS);
        for (const auto& [to, by] : merges) {
            double* a = sums.data() + to * width;
            const double* b = sums.data() + by * width;
            for (std::size_t j = begin; j < end; ++j) a[j] += b[j];
        }
        std::copy(sums.data() + last * width + begin, sums.data() + last * width + end, out + begin);
    });
}

}  // namespace novum
