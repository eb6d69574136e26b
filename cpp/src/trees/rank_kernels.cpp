#include "novum/trees/rank_kernels.h"

#include <algorithm>
#include <bit>

#include "novum/runtime/simd.h"
#include "novum/trees/draws.h"

namespace novum::coded {

namespace {

// Vectors of 64 bytes; where registers are narrower, several of them stand for one.
using Codes16 = std::uint16_t __attribute__((vector_size(64)));
using Reals = double __attribute__((vector_size(64)));
using Words = std::int64_t __attribute__((vector_size(64)));
constexpr std::size_t LANES = 32, REALS = 8;
constexpr std::size_t TINY = 16;  // rows that are not worth another loop

template <class V, class T>
NOVUM_INLINE V load(const T* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
}

template <class V, class T>
NOVUM_INLINE void store(T* to, const V& v) {
    __builtin_memcpy(to, &v, sizeof(V));
}

/// x where the mask says so, else zero.
NOVUM_INLINE Reals where(const Words& mask, const Reals& x) { return std::bit_cast<Reals>(std::bit_cast<Words>(x) & mask); }

NOVUM_CLONES void range_of(const std::uint16_t* c, std::size_t m, Range& range) {
    std::uint16_t low = 0xFFFF, high = 0;
    for (std::size_t i = 0; i < m; ++i) {
        low = std::min(low, c[i]);
        high = std::max(high, c[i]);
    }
    range = {low, high};
}

NOVUM_CLONES void pairs_two(const std::uint16_t* c, const std::uint16_t* w, const std::uint16_t* p, std::size_t m, std::uint16_t* left,
                            std::uint16_t* left_p) {
    for (std::size_t from = 0; from < m; from += LANES) {
        const auto here = load<Codes16>(c + from);
        Codes16 sum{}, sum_p{};
        for (std::size_t j = 0; j < m; ++j) {
            const auto mask = std::bit_cast<Codes16>(here >= c[j]);
            sum += mask & w[j];
            sum_p += mask & p[j];
        }
        store(left + from, sum);
        store(left_p + from, sum_p);
    }
}

NOVUM_CLONES void pairs_numbers(const double* c, const double* w, const double* wy, std::size_t m, double* left, double* left_y) {
    for (std::size_t from = 0; from < m; from += REALS) {
        const auto here = load<Reals>(c + from);
        Reals sum{}, sum_y{};
        for (std::size_t j = 0; j < m; ++j) {
            const Words mask = here >= c[j];
            sum += where(mask, Reals{} + w[j]);
            sum_y += where(mask, Reals{} + wy[j]);
        }
        store(left + from, sum);
        store(left_y + from, sum_y);
    }
}

NOVUM_CLONES void pairs_both(const double* c, const double* w, const double* wy, std::size_t m, double* left, double* left_y, double* right,
                             double* right_y) {
    for (std::size_t from = 0; from < m; from += REALS) {
        const auto here = load<Reals>(c + from);
        Reals sum{}, sum_y{}, other{}, other_y{};
        for (std::size_t j = 0; j < m; ++j) {
            const Words mask = here >= c[j];
            sum += where(mask, Reals{} + w[j]);
            sum_y += where(mask, Reals{} + wy[j]);
            other += where(~mask, Reals{} + w[j]);
            other_y += where(~mask, Reals{} + wy[j]);
        }
        store(left + from, sum);
        store(left_y + from, sum_y);
        store(right + from, other);
        store(right_y + from, other_y);
    }
}

NOVUM_CLONES void number_side(const std::uint16_t* c, const double* w, const double* wy, std::size_t m, std::uint16_t limit, Side& out) {
    Reals sum{}, sum_y{}, other{}, other_y{};
    Words rows{};
    std::size_t i = 0;
    for (; i + REALS <= m; i += REALS) {
        Words code;
        for (std::size_t k = 0; k < REALS; ++k) code[k] = c[i + k];
        const Words mask = code <= static_cast<std::int64_t>(limit);
        sum += where(mask, load<Reals>(w + i));
        sum_y += where(mask, load<Reals>(wy + i));
        other += where(~mask, load<Reals>(w + i));
        other_y += where(~mask, load<Reals>(wy + i));
        rows -= mask;
    }
    out = {};
    for (std::size_t k = 0; k < REALS; ++k) {
        out.weight += sum[k];
        out.s += sum_y[k];
        out.other_weight += other[k];
        out.other_s += other_y[k];
        out.rows += static_cast<std::size_t>(rows[k]);
    }
    for (; i < m; ++i) {
        const bool goes = c[i] <= limit;
        (goes ? out.weight : out.other_weight) += w[i];
        (goes ? out.s : out.other_s) += wy[i];
        out.rows += goes;
    }
}

/// Gains as integers that order as they do (none is negative), -1 where a cut is not allowed.
template <class Real>
NOVUM_INLINE std::int64_t gains(const Real* left, const Real* left_s, const Real* left_rows, std::size_t k, double weight, double s,
                                double rows, Least least, std::int64_t* out) {
    std::int64_t most = -1;
    for (std::size_t i = 0; i < k; ++i) {
        const double a = static_cast<double>(left[i]), b = weight - a, n = static_cast<double>(left_rows[i]);
        const double difference = static_cast<double>(left_s[i]) * weight - a * s;
        const double gain = difference * difference / (a * b);
        const bool fits = (n >= least.rows) & (rows - n >= least.rows) & (a >= least.weight) & (b >= least.weight) & (a > 0) & (b > 0);
        out[i] = fits ? std::bit_cast<std::int64_t>(gain) : -1;
        most = std::max(most, out[i]);
    }
    return most;
}

NOVUM_CLONES std::int64_t gains_16(const std::uint16_t* left, const std::uint16_t* left_s, const std::uint16_t* left_rows, std::size_t k,
                                   double weight, double s, double rows, Least least, std::int64_t* out) {
    return gains(left, left_s, left_rows, k, weight, s, rows, least, out);
}

NOVUM_CLONES std::int64_t gains_32(const std::int32_t* left, const std::int32_t* left_s, const std::int32_t* left_rows, std::size_t k,
                                   double weight, double s, double rows, Least least, std::int64_t* out) {
    return gains(left, left_s, left_rows, k, weight, s, rows, least, out);
}

NOVUM_CLONES std::int64_t gains_real(const double* left, const double* left_s, const double* left_rows, std::size_t k, double weight,
                                     double s, double rows, Least least, std::int64_t* out) {
    return gains(left, left_s, left_rows, k, weight, s, rows, least, out);
}

NOVUM_CLONES std::int64_t gains_both(const double* left, const double* left_s, const double* right, const double* right_s,
                                     const double* left_rows, std::size_t k, double rows, Least least, std::int64_t* out) {
    std::int64_t most = -1;
    for (std::size_t i = 0; i < k; ++i) {
        const double a = left[i], b = right[i], n = left_rows[i], difference = left_s[i] * b - right_s[i] * a;
        const double gain = difference * difference / (a * b);
        const bool fits = (n >= least.rows) & (rows - n >= least.rows) & (a >= least.weight) & (b >= least.weight) & (a > 0) & (b > 0);
        out[i] = fits ? std::bit_cast<std::int64_t>(gain) : -1;
        most = std::max(most, out[i]);
    }
    return most;
}

NOVUM_CLONES void packed_side(const std::uint16_t* c, const std::uint64_t* packed, std::size_t m, std::uint16_t limit, std::uint64_t& sum) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < m; ++i) total += c[i] <= limit ? packed[i] : 0;
    sum = total;
}

}  // namespace

std::ptrdiff_t first_best(const std::int64_t* order, std::size_t k, std::int64_t most, double margin, const std::uint16_t* c,
                          double& gain) {
    if (most < 0) return -1;
    gain = std::bit_cast<double>(most);
    const auto enough = std::bit_cast<std::int64_t>(std::max(0.0, gain - margin));
    const std::int64_t* place = std::find_if(order, order + k, [&](std::int64_t bits) { return bits >= enough; });
    if (c)
        for (const std::int64_t* other = place + 1; other < order + k; ++other)
            if (*other >= enough && c[other - order] < c[place - order]) place = other;
    return place - order;
}

NOVUM_CLONES void draw_columns(std::uint64_t key, std::uint64_t seed, std::size_t d, std::size_t count, std::size_t* place) {
    for (std::size_t i = 0; i < count; ++i) {
        const rng::Block draw = tree::draw_at(key, static_cast<std::uint32_t>(i), tree::COLUMN_DRAW, seed);
        place[i] = std::size_t(draw[1]) << 32 | draw[0];
    }
    for (std::size_t i = 0; i < count; ++i) place[i] = i + rng::below(place[i], d - i);
}

NOVUM_CLONES void draw_shares(std::uint64_t key, std::uint64_t seed, const std::uint32_t* column, std::size_t count, double* share) {
    for (std::size_t i = 0; i < count; ++i) share[i] = tree::threshold_share(tree::draw_at(key, column[i], tree::THRESHOLD_DRAW, seed));
}

Range gather(const std::uint16_t* code, const std::uint32_t* row, std::size_t m, std::uint16_t* out) {
    if (m <= TINY) {
        Range range{0xFFFF, 0};
        for (std::size_t i = 0; i < m; ++i) {
            out[i] = code[row[i]];
            range = {std::min(range.low, out[i]), std::max(range.high, out[i])};
        }
        return range;
    }
    for (std::size_t i = 0; i < m; ++i) out[i] = code[row[i]];
    Range range;
    range_of(out, m, range);
    return range;
}

void pairs(const std::uint16_t* c, const std::uint16_t* w, const std::uint16_t* p, std::size_t m, std::uint16_t* left,
           std::uint16_t* left_p, std::uint16_t* left_rows) {
    pairs_two(c, w, p, m, left, left_p);
    if (!left_rows) return;
    std::uint16_t ones[PAIRS], unused[PAIRS];
    std::fill_n(ones, PAIRS, std::uint16_t(1));
    pairs_two(c, ones, ones, m, left_rows, unused);
}

void pairs(const double* c, const double* w, const double* wy, std::size_t m, double* left, double* left_y, double* right,
           double* right_y) {
    if (right)
        pairs_both(c, w, wy, m, left, left_y, right, right_y);
    else
        pairs_numbers(c, w, wy, m, left, left_y);
}

template <class Real>
std::ptrdiff_t best(const Real* left, const Real* left_s, const Real* left_rows, std::size_t k, double weight, double s, double rows,
                    Least least, double margin, const std::uint16_t* c, double& gain) {
    std::int64_t order[BEST_CUTS];
    std::int64_t most;
    if constexpr (sizeof(Real) == 2)
        most = gains_16(left, left_s, left_rows, k, weight, s, rows, least, order);
    else if constexpr (sizeof(Real) == 4)
        most = gains_32(left, left_s, left_rows, k, weight, s, rows, least, order);
    else
        most = gains_real(left, left_s, left_rows, k, weight, s, rows, least, order);
    return first_best(order, k, most, margin, c, gain);
}

std::ptrdiff_t best(const double* left, const double* left_s, const double* right, const double* right_s, const double* left_rows,
                    std::size_t k, double rows, Least least, double margin, const std::uint16_t* c, double& gain) {
    std::int64_t order[BEST_CUTS];
    const std::int64_t most = gains_both(left, left_s, right, right_s, left_rows, k, rows, least, order);
    return first_best(order, k, most, margin, c, gain);
}

template std::ptrdiff_t best(const std::uint16_t*, const std::uint16_t*, const std::uint16_t*, std::size_t, double, double, double, Least,
                             double, const std::uint16_t*, double&);
template std::ptrdiff_t best(const std::int32_t*, const std::int32_t*, const std::int32_t*, std::size_t, double, double, double, Least,
                             double, const std::uint16_t*, double&);
template std::ptrdiff_t best(const double*, const double*, const double*, std::size_t, double, double, double, Least, double,
                             const std::uint16_t*, double&);

Side side(const std::uint16_t* c, const std::uint64_t* packed, std::size_t m, std::uint16_t limit) {
    std::uint64_t sum;
    packed_side(c, packed, m, limit, sum);
    return {static_cast<double>((sum >> FIELD) & FIELD_MASK), static_cast<double>(sum & FIELD_MASK),
            static_cast<std::size_t>(sum >> (2 * FIELD))};
}

Side side(const std::uint16_t* c, const double* w, const double* wy, std::size_t m, std::uint16_t limit) {
    Side out;
    number_side(c, w, wy, m, limit, out);
    return out;
}

double gain_of(const Side& left, double weight, double s, double rows, Least least) {
    const double a = left.weight, b = weight - a, n = static_cast<double>(left.rows);
    if (n < least.rows || rows - n < least.rows || a < least.weight || b < least.weight || !(a > 0) || !(b > 0)) return -1;
    const double difference = left.s * weight - a * s;
    return difference * difference / (a * b);
}

double gain_of(const Side& sides, double rows, Least least) {
    const double a = sides.weight, b = sides.other_weight, n = static_cast<double>(sides.rows);
    if (n < least.rows || rows - n < least.rows || a < least.weight || b < least.weight || !(a > 0) || !(b > 0)) return -1;
    const double difference = sides.s * b - sides.other_s * a;
    return difference * difference / (a * b);
}

}  // namespace novum::coded
