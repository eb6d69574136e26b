// Whether scores about a frame tell rows apart.
#pragma once
#include <algorithm>
#include <cmath>

#include "novum/search/search.h"

namespace novum::neighbors {

constexpr std::size_t FEW_QUERIES = 8;  // packing the rows costs about as much as this many queries
constexpr double FAR = 1e9;  // queries this many times farther than all rows are looked at one by one: their scores would all be equal

/// Whether there are queries enough, and none is so far away that the scores of all rows would be equal.
template <class Real>
inline bool can_sweep(Table<Real> x, Table<Real> y, Frame frame) {
    if (FEW_QUERIES > x.n || !(frame.reach > 0) || !std::isfinite(frame.reach) || y.n > (std::size_t{1} << 31) - 1) return false;
    for (std::size_t i = 0; i < x.n; ++i) {
        double most = 0;
        for (std::size_t t = 0; t < x.d; ++t) most = std::max(most, std::fabs(static_cast<double>(x.row(i)[t]) - frame.origin[t]));
        if (!(most <= FAR * frame.reach)) return false;
    }
    return true;
}

/// Whether scores tell something about all these radii.
inline bool reachable(const double* radius, std::size_t n, Frame frame) {
    return std::all_of(radius, radius + n, [&](double r) { return r >= 0 && r <= FAR * frame.reach; });
}

}  // namespace novum::neighbors
