// What a pass prepares from the centers: packed panels, their order in groups, gaps between centers and groups.
#include <cmath>
#include <numeric>

#include "novum/kmeans/chunk.h"
#include "novum/runtime/interrupt.h"

namespace novum {

template <class Real>
panel::Packed<Real>::Packed(const double* centers, std::size_t k, std::size_t d, const std::int32_t* order, std::size_t lanes)
    : k(k), d(d), lanes(lanes), origin(d), centered(k * d) {
    kmeans::origin<Real>({centers, k}, d, origin.data());
    wide_origin.assign(origin.begin(), origin.end());
    const std::size_t padded = (k + GROUP - 1) / GROUP * GROUP;
    panels.assign(padded / lanes * (d + 1) * lanes, Real(0));
    index.assign(padded, std::numeric_limits<Int>::max());
    for (std::size_t j = 0; j < k; ++j) {
        double square = 0, largest = 0;
        for (std::size_t t = 0; t < d; ++t) {
            centered[j * d + t] = centers[j * d + t] - wide_origin[t];
            largest = std::max(largest, std::abs(centered[j * d + t]));
        }
        if (largest > 0)  // no square of its own size: it might not be a number
            for (std::size_t t = 0; t < d; ++t) square += centered[j * d + t] / largest * (centered[j * d + t] / largest);
        reach = std::max(reach, largest * std::sqrt(square));
    }
    scale = unit<Real>(reach);
    for (std::size_t slot = 0; slot < padded; ++slot) {
        Real* lane = panels.data() + slot / lanes * (d + 1) * lanes + slot % lanes;
        if (slot >= k) {
            *lane = std::numeric_limits<Real>::infinity();
            continue;
        }
        const std::size_t j = order ? at(order[slot]) : slot;
        index[slot] = static_cast<Int>(j);
        double square = 0;
        for (std::size_t t = 0; t < d; ++t) {
            const Real rounded = static_cast<Real>(centered[j * d + t] * static_cast<double>(scale));
            square += static_cast<double>(rounded) * static_cast<double>(rounded);
            lane[(t + 1) * lanes] = -rounded;
        }
        *lane = static_cast<Real>(square / 2);
    }
}
template struct panel::Packed<float>;
template struct panel::Packed<double>;

namespace kmeans {

using panel::at;
using panel::GROUP;

// Neighbors are searched anew when one center in MANY has less than this share of its radius left.
constexpr float KEPT = 0.75f;
constexpr std::size_t MANY = 8;

template <class Real>
void origin(Centers centers, std::size_t d, Real* out) {
    for (std::size_t t = 0; t < d; ++t) {
        double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t j = 0; j < centers.k; ++j) {
            const double c = centers.c[j * d + t];
            sum += c;
            low = std::min(low, c);
            high = std::max(high, c);
        }
        const double mean = sum / static_cast<double>(centers.k);
        const double grid = std::exp2(std::ceil(std::log2(high - low)));
        out[t] = static_cast<Real>(high > low && std::isfinite(grid) ? std::round(mean / grid) * grid : low);
    }
}
template void origin(Centers, std::size_t, float*);
template void origin(Centers, std::size_t, double*);

namespace {

void split(Centers centers, std::size_t d, std::int32_t* first, std::int32_t* last) {
    const std::size_t groups = (at(last - first) + GROUP - 1) / GROUP;
    if (groups <= 1) {
        std::sort(first, last);
        return;
    }
    std::size_t widest = 0;
    double range = -1;
    for (std::size_t t = 0; t < d; ++t) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const std::int32_t* j = first; j < last; ++j) {
            low = std::min(low, centers.c[at(*j) * d + t]);
            high = std::max(high, centers.c[at(*j) * d + t]);
        }
        if (high - low > range) range = high - low, widest = t;
    }
    auto before = [&](std::int32_t a, std::int32_t b) {
        const double ca = centers.c[at(a) * d + widest], cb = centers.c[at(b) * d + widest];
        return ca < cb || (ca == cb && a < b);
    };
    std::int32_t* middle = first + groups / 2 * GROUP;
    std::nth_element(first, middle, last, before);
    split(centers, d, first, middle);
    split(centers, d, middle, last);
}

template <int BYTES>
NOVUM_INLINE double squared_distance(const double* a, const double* b, std::size_t d) {
    using S = panel::Simd<double, BYTES>;
    typename S::V sum{};
    std::size_t t = 0;
    for (; t + S::LANES <= d; t += S::LANES) {
        const typename S::V difference = S::load(a + t) - S::load(b + t);
        sum += difference * difference;
    }
    double tail = 0;
    for (; t < d; ++t) tail += (a[t] - b[t]) * (a[t] - b[t]);
    return panel::total<S::LANES>(sum) + tail;
}

struct Gaps {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* c, std::size_t k, std::size_t d, const std::int32_t* group, std::size_t width,
                                double* nearest) {
        for (std::size_t a = 0; a < k; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                const double square = squared_distance<BYTES>(c + a * d, c + b * d, d);
                double& to_b = nearest[a * width + at(group[b])];
                double& to_a = nearest[b * width + at(group[a])];
                to_b = std::min(to_b, square);
                to_a = std::min(to_a, square);
            }
        return 0;
    }
};

// Searches the neighbors of every center. Those of an earlier search (`known`) tell how far to look.
struct Search {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* columns, std::size_t k, std::size_t d, bool known, const Neighborhood& out) {
        std::vector<double> square(k);
        std::vector<std::pair<double, std::int32_t>> nearest;
        interrupt::Poller<64> poller;
        for (std::size_t a = 0; a < k; ++a) {
            poller.tick();
            std::fill(square.begin(), square.end(), 0.0);
            for (std::size_t t = 0; t < d; ++t) {
                const double *column = columns + t * k, c = column[a];
                for (std::size_t j = 0; j < k; ++j) square[j] += (column[j] - c) * (column[j] - c);
            }
            square[a] = -1;  // first, whatever coincides with it
            std::int32_t* index = out.index + a * GROUP;
            double horizon = std::numeric_limits<double>::infinity();
            if (known && k > GROUP) {
                horizon = 0;
                for (std::size_t l = 1; l < GROUP; ++l) horizon = std::max(horizon, square[at(index[l])]);
                horizon = 1.25 * horizon + std::numeric_limits<double>::min();
            }
            // The 17 least: the center itself, 15 neighbors, and the first one left out.
            nearest.clear();
            for (std::size_t j = 0; j < k; ++j)
                if (square[j] < horizon) nearest.emplace_back(square[j], static_cast<std::int32_t>(j));
            if (nearest.size() > GROUP) {
                std::nth_element(nearest.begin(), nearest.begin() + GROUP, nearest.end());
                horizon = nearest[GROUP].first;
                nearest.resize(GROUP);
            }
            std::iter_swap(nearest.begin(), std::min_element(nearest.begin(), nearest.end()));
            double least = horizon;
            for (std::size_t l = 0; l < GROUP; ++l) {
                index[l] = l < nearest.size() ? nearest[l].second : -1;
                if (l > 0 && l < nearest.size()) least = std::min(least, nearest[l].first);
            }
            out.half[a] = static_cast<float>(std::sqrt(least) * DOWN);
            out.radius[a] = out.found[a] = static_cast<float>(std::sqrt(horizon) * DOWN);
        }
        return 0;
    }
};

// Keeps the neighbors: whoever was beyond the radius is still beyond it less what both have moved. Returns whether enough is left.
bool follow(Centers centers, std::size_t d, const double* before, const Neighborhood& out) {
    const double* c = centers.c;
    std::vector<float> moved(centers.k);
    float most = 0;
    for (std::size_t a = 0; a < centers.k; ++a) {
        double square = 0;
        for (std::size_t t = 0; t < d; ++t) square += (c[a * d + t] - before[a * d + t]) * (c[a * d + t] - before[a * d + t]);
        moved[a] = static_cast<float>(std::sqrt(square) * UP) + std::numeric_limits<float>::min();
        most = std::max(most, moved[a]);
    }
    std::size_t narrow = 0;
    for (std::size_t a = 0; a < centers.k; ++a) {
        out.radius[a] = (out.radius[a] - (moved[a] + most)) * float(DOWN);
        narrow += !(out.radius[a] >= KEPT * out.found[a]);
    }
    if (narrow * MANY > centers.k) return false;
    for (std::size_t a = 0; a < centers.k; ++a) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t l = 1; l < GROUP && out.index[a * GROUP + l] >= 0; ++l) {
            double square = 0;
            const double* other = c + at(out.index[a * GROUP + l]) * d;
            for (std::size_t t = 0; t < d; ++t) square += (c[a * d + t] - other[t]) * (c[a * d + t] - other[t]);
            least = std::min(least, square);
        }
        out.half[a] = std::min(static_cast<float>(std::sqrt(least) * DOWN), out.radius[a]);
    }
    return true;
}

}  // namespace

void neighborhoods(Centers centers, std::size_t d, const double* before, Neighborhood out) {
    if (before && follow(centers, d, before, out)) return;
    std::vector<double> columns(centers.k * d);
    for (std::size_t j = 0; j < centers.k; ++j)
        for (std::size_t t = 0; t < d; ++t) columns[t * centers.k + j] = centers.c[j * d + t];
    widest<Search>(columns.data(), centers.k, d, before != nullptr, out);
}

template <class Real>
double move(Centers before, std::size_t d, const double* origin, Totals totals, double* after) {
    constexpr double ROUNDING = 4 * std::numeric_limits<double>::epsilon();
    const std::size_t k = before.k;
    const std::size_t largest = at(std::max_element(totals.mass, totals.mass + k) - totals.mass);
    for (std::size_t j = 0; j < k; ++j) {
        const std::size_t from = totals.mass[j] > 0 ? j : largest;
        const double mass = totals.mass[from] > 0 ? totals.mass[from] : 1;
        for (std::size_t t = 0; t < d; ++t)
            after[j * d + t] = static_cast<double>(static_cast<Real>(origin[t] + totals.sums[from * d + t] / mass));
    }
    double total = 0;
    for (std::size_t t = 0; t < d; ++t) {
        double scale = 0;
        for (std::size_t j = 0; j < k; ++j) scale = std::max(scale, std::abs(after[j * d + t]));
        for (std::size_t j = 0; j < k; ++j) {
            const double step = after[j * d + t] - before.c[j * d + t];
            if (std::abs(step) > ROUNDING * scale) total += step * step;
        }
    }
    return total;
}
template double move<float>(Centers, std::size_t, const double*, Totals, double*);
template double move<double>(Centers, std::size_t, const double*, Totals, double*);

void group(Centers centers, std::size_t d, std::int32_t* order) {
    std::iota(order, order + centers.k, 0);
    split(centers, d, order, order + centers.k);
}

void gaps(Centers centers, std::size_t d, const std::int32_t* order, std::size_t width, float* gap) {
    const std::size_t k = centers.k;
    std::vector<std::int32_t> group(k);
    for (std::size_t slot = 0; slot < k; ++slot) group[at(order[slot])] = static_cast<std::int32_t>(slot / GROUP);
    std::vector<double> nearest(k * width, std::numeric_limits<double>::infinity());
    widest<Gaps>(centers.c, k, d, group.data(), width, nearest.data());
    for (std::size_t i = 0; i < k * width; ++i) gap[i] = static_cast<float>(std::sqrt(nearest[i]) * DOWN);
}

}  // namespace kmeans
}  // namespace novum
