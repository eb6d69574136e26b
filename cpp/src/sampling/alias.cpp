#include "novum/sampling/alias.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "novum/runtime/interrupt.h"

namespace novum::sampling {

void alias_table(std::span<const double> p, std::span<double> keep, std::span<std::int64_t> other) {
    const std::size_t k = p.size();
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < k; ++i) {
        keep[i] = p[i] * static_cast<double>(k);
        other[i] = static_cast<std::int64_t>(i);
        (keep[i] < 1 ? small : large).push_back(i);
    }
    interrupt::Poller<65536> poller;
    while (!small.empty() && !large.empty()) {
        poller.tick();
        const std::size_t low = small.back(), high = large.back();
        small.pop_back();
        other[low] = static_cast<std::int64_t>(high);
        keep[high] = (keep[high] + keep[low]) - 1;
        if (keep[high] < 1) {
            large.pop_back();
            small.push_back(high);
        }
    }
    for (std::size_t i : large) keep[i] = 1;
    for (std::size_t i : small)  // what rounding left over; a class of probability zero must stay one
        if (p[i] > 0)
            keep[i] = 1;
        else
            other[i] = static_cast<std::int64_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

void alias_draw(std::span<const double> keep, std::span<const std::int64_t> other, std::span<const double> u, std::span<std::int64_t> out) {
    const std::size_t k = keep.size();
    interrupt::Poller<65536> poller;
    for (std::size_t j = 0; j < u.size(); ++j) {
        poller.tick();
        const double place = u[j] * static_cast<double>(k);
        const std::size_t cell = std::min(static_cast<std::size_t>(place), k - 1);
        out[j] = place - static_cast<double>(cell) < keep[cell] ? static_cast<std::int64_t>(cell) : other[cell];
    }
}

}  // namespace novum::sampling
