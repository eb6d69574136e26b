#include "novum/trees/random_cuts.h"

#include <algorithm>
#include <limits>

#include "novum/runtime/vector_math.h"

namespace novum::tree {

namespace {

struct Range {
    template <int BYTES>
    static NOVUM_INLINE ValueRange run(const double* x, std::size_t m) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        constexpr double INFINITE = std::numeric_limits<double>::infinity();
        V low = D::splat(INFINITE), high = D::splat(-INFINITE), missing = D::splat(0.0);
        std::size_t i = 0;
        for (; i + D::LANES <= m; i += D::LANES) {
            const V v = D::load(x + i);
            low = v < low ? v : low;
            high = v > high ? v : high;
            missing += v == v ? D::splat(0.0) : D::splat(1.0);
        }
        ValueRange out{INFINITE, -INFINITE, 0};
        for (std::size_t l = 0; l < D::LANES; ++l) {
            out.low = std::min(out.low, low[l]);
            out.high = std::max(out.high, high[l]);
            out.missing += static_cast<std::size_t>(missing[l]);
        }
        for (; i < m; ++i) {
            out.low = x[i] < out.low ? x[i] : out.low;
            out.high = x[i] > out.high ? x[i] : out.high;
            out.missing += x[i] != x[i];
        }
        return out;
    }
};

struct Sums {
    template <int BYTES>
    static NOVUM_INLINE Below run(const double* x, const double* target, std::size_t m, double threshold) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        const V zero = D::splat(0.0), one = D::splat(1.0);
        V count = zero, sum = zero;
        std::size_t i = 0;
        for (; i + D::LANES <= m; i += D::LANES) {
            const V v = D::load(x + i);
            count += v <= threshold ? one : zero;
            sum += v <= threshold ? D::load(target + i) : zero;
        }
        Below out{0, 0.0};
        for (std::size_t l = 0; l < D::LANES; ++l) {
            out.count += static_cast<std::size_t>(count[l]);
            out.sum += sum[l];
        }
        for (; i < m; ++i) {
            out.count += x[i] <= threshold;
            out.sum += x[i] <= threshold ? target[i] : 0.0;
        }
        return out;
    }
};

}  // namespace

ValueRange range_of(const double* x, std::size_t m) { return widest<Range>(x, m); }

Below below(const double* x, const double* target, std::size_t m, double threshold) { return widest<Sums>(x, target, m, threshold); }

void count_below(const double* x, const std::int32_t* code, std::size_t m, double threshold, double* count) {
    for (std::size_t i = 0; i < m; ++i) count[code[i]] += x[i] <= threshold;
}

}  // namespace novum::tree
