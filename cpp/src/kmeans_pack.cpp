// What a pass prepares from the centers: packed panels, their order in groups, gaps between centers and groups.
#include <cmath>
#include <numeric>

#include "novum/chunk.h"

namespace novum {

template <class Real>
panel::Packed<Real>::Packed(const double* centers, std::size_t k, std::size_t d, const std::int32_t* order,
                            std::size_t lanes) : k(k), d(d), lanes(lanes), origin(d), centered(k * d) {
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
    const std::size_t groups = (at(last - first) + panel::GROUP - 1) / panel::GROUP;
    if (groups <= 1) {
        std::sort(first, last);
        return;
    }
    std::size_t widest = 0;
    double spread = -1;
    for (std::size_t t = 0; t < d; ++t) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const std::int32_t* j = first; j < last; ++j) {
            low = std::min(low, centers.c[at(*j) * d + t]);
            high = std::max(high, centers.c[at(*j) * d + t]);
        }
        if (high - low > spread) spread = high - low, widest = t;
    }
    auto before = [&](std::int32_t a, std::int32_t b) {
        const double ca = centers.c[at(a) * d + widest], cb = centers.c[at(b) * d + widest];
        return ca < cb || (ca == cb && a < b);
    };
    std::int32_t* middle = first + groups / 2 * panel::GROUP;
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

struct Neighborhoods {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* columns, std::size_t k, std::size_t d, bool known, std::int32_t* index, float* half,
                                float* radius) {
        std::vector<double> square(k);
        std::vector<std::pair<double, std::int32_t>> nearest;
        for (std::size_t a = 0; a < k; ++a) {
            std::fill(square.begin(), square.end(), 0.0);
            for (std::size_t t = 0; t < d; ++t) {
                const double *column = columns + t * k, c = column[a];
                for (std::size_t j = 0; j < k; ++j) square[j] += (column[j] - c) * (column[j] - c);
            }
            square[a] = -1;  // first, whatever coincides with it
            // The 17 least: the center itself, 15 neighbors, and the first one left out. Those of an earlier call are few steps away.
            nearest.clear();
            double worst = std::numeric_limits<double>::infinity();
            if (known && k > panel::GROUP) {
                worst = 0;
                for (std::size_t l = 1; l < panel::GROUP; ++l) worst = std::max(worst, square[at(index[a * panel::GROUP + l])]);
                worst = 1.25 * worst + std::numeric_limits<double>::min();
            }
            const double horizon = worst;
            for (std::size_t j = 0; j < k; ++j) {
                if (square[j] >= worst) continue;
                nearest.emplace_back(square[j], static_cast<std::int32_t>(j));
                if (nearest.size() < 4 * panel::GROUP) continue;
                std::nth_element(nearest.begin(), nearest.begin() + panel::GROUP, nearest.end());
                nearest.resize(panel::GROUP + 1);
                worst = nearest[panel::GROUP].first;
            }
            std::sort(nearest.begin(), nearest.end());
            for (std::size_t l = 0; l < panel::GROUP; ++l) index[a * panel::GROUP + l] = l < nearest.size() ? nearest[l].second : -1;
            half[a] = nearest.size() > 1 ? static_cast<float>(std::sqrt(nearest[1].first) * DOWN) : std::numeric_limits<float>::infinity();
            radius[a] = static_cast<float>(std::sqrt(nearest.size() > panel::GROUP ? nearest[panel::GROUP].first : horizon) * DOWN);
        }
        return 0;
    }
};

}  // namespace

void neighborhoods(Centers centers, std::size_t d, bool known, std::int32_t* index, float* half, float* radius) {
    std::vector<double> columns(centers.k * d);
    for (std::size_t j = 0; j < centers.k; ++j)
        for (std::size_t t = 0; t < d; ++t) columns[t * centers.k + j] = centers.c[j * d + t];
    widest<Neighborhoods>(columns.data(), centers.k, d, known, index, half, radius);
}

void group(Centers centers, std::size_t d, std::int32_t* order) {
    std::iota(order, order + centers.k, 0);
    split(centers, d, order, order + centers.k);
}

void gaps(Centers centers, std::size_t d, const std::int32_t* order, std::size_t width, float* gap) {
    const std::size_t k = centers.k;
    std::vector<std::int32_t> group(k);
    for (std::size_t slot = 0; slot < k; ++slot) group[at(order[slot])] = static_cast<std::int32_t>(slot / panel::GROUP);
    std::vector<double> nearest(k * width, std::numeric_limits<double>::infinity());
    widest<Gaps>(centers.c, k, d, group.data(), width, nearest.data());
    for (std::size_t i = 0; i < k * width; ++i) gap[i] = static_cast<float>(std::sqrt(nearest[i]) * DOWN);
}

}  // namespace kmeans
}  // namespace novum
