#include "novum/evaluation/resampling.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/random.h"
#include "novum/runtime/simd.h"

namespace novum::resampling {

namespace {

constexpr std::size_t BLOCKS = 128;  // Philox blocks made at a time: 4 kB of words
constexpr std::size_t LANES = 8;     // partial sums of a long dot product

/// Call take(row) for each of the n draws (1).
template <class Take>
NOVUM_INLINE void draw(const rng::Stream& stream, std::uint64_t n, Take take) {
    std::uint64_t words[2 * BLOCKS];
    const std::uint32_t skipped = static_cast<std::uint32_t>((std::uint64_t(1) << 32) % n);
    std::uint64_t left = n;
    for (std::uint64_t block = 0; left; block += BLOCKS) {
        rng::fill_bits(stream, block, 2, words);
        for (std::size_t w = 0; w < 2 * BLOCKS && left; ++w) {
            for (const std::uint64_t word : {words[w] & 0xFFFFFFFFu, words[w] >> 32}) {
                const std::uint64_t scaled = word * n;
                if (static_cast<std::uint32_t>(scaled) < skipped || !left) [[unlikely]]
                    continue;
                take(scaled >> 32);
                --left;
            }
        }
    }
}

NOVUM_CLONES double dot(const Count* c, const double* x, std::size_t n) {
    double part[LANES] = {};
    std::size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (std::size_t l = 0; l < LANES; ++l) part[l] += c[i + l] * x[i + l];
    for (; i < n; ++i) part[i % LANES] += c[i] * x[i];
    double total = 0;
    for (const double p : part) total += p;
    return total;
}

// Mass is a whole number without weights: exact sums, and quicker ones.
template <bool Precision, class Mass>
void areas_of(const Count* c, const Ranking& ranked, double* out) {
    constexpr bool weighted = std::is_floating_point_v<Mass>;
    Mass above = 0, below = 0, twice = 0, positives = 0, negatives = 0;
    double steps = 0, trapezoids = 0, before = 1;
    for (std::size_t i = 0; i < ranked.order.size(); ++i) {
        Mass mass = c[ranked.order[i]];
        if constexpr (weighted) mass *= ranked.weight[i];
        const Mass hit = ranked.positive[i] ? mass : Mass(0);
        positives += hit;
        negatives += mass - hit;
        if (!ranked.last[i]) continue;
        twice += negatives * (2 * above + positives);
        above += positives;
        below += negatives;
        if constexpr (Precision) {
            if (above + below > 0) {
                const double precision = static_cast<double>(above) / static_cast<double>(above + below);
                steps += static_cast<double>(positives) * precision;
                trapezoids += static_cast<double>(positives) * (before + precision);
                if (positives + negatives > 0) before = precision;
            }
        }
        positives = negatives = 0;
    }
    const double nothing = std::numeric_limits<double>::quiet_NaN(), p = static_cast<double>(above), q = static_cast<double>(below);
    out[0] = p > 0 && q > 0 ? static_cast<double>(twice) / (2 * p * q) : nothing;
    out[1] = Precision && p > 0 ? steps / p : nothing;
    out[2] = Precision && p > 0 ? trapezoids / (2 * p) : nothing;
}

using Areas = void (*)(const Count*, const Ranking&, double*);

Areas fitting(const Ranking& ranked, bool precision) {
    if (ranked.weight.empty()) return precision ? areas_of<true, std::int64_t> : areas_of<false, std::int64_t>;
    return precision ? areas_of<true, double> : areas_of<false, double>;
}

}  // namespace

void rows(const rng::Stream& stream, std::span<std::int64_t> out) {
    std::size_t j = 0;
    if (!out.empty()) draw(stream, out.size(), [&](std::uint64_t row) NOVUM_LAMBDA { out[j++] = static_cast<std::int64_t>(row); });
}

void counts(const rng::Stream& stream, std::span<Count> out) {
    std::fill(out.begin(), out.end(), Count(0));
    if (!out.empty()) draw(stream, out.size(), [&](std::uint64_t row) NOVUM_LAMBDA { ++out[row]; });
}

void sums(rng::Stream stream, std::uint32_t resamples, std::span<const double> x, std::size_t n, std::span<Count> scratch, double* out) {
    for (std::uint32_t r = 0; r < resamples; ++r, ++stream.iteration) {
        interrupt::poll();
        counts(stream, scratch);
        for (std::size_t start = 0; start < x.size(); start += n) *out++ = dot(scratch.data(), x.data() + start, n);
    }
}

void cells(rng::Stream stream, std::uint32_t resamples, std::span<const std::int32_t> code, std::span<const double> weight,
           std::size_t cells, double* out) {
    std::fill(out, out + resamples * cells, 0.0);
    for (std::uint32_t r = 0; r < resamples; ++r, ++stream.iteration, out += cells) {
        interrupt::poll();
        if (weight.empty())
            draw(stream, code.size(), [&](std::uint64_t row) NOVUM_LAMBDA { out[code[row]] += 1; });
        else
            draw(stream, code.size(), [&](std::uint64_t row) NOVUM_LAMBDA { out[code[row]] += weight[row]; });
    }
}

void ranking(rng::Stream stream, std::uint32_t resamples, const Ranking& ranked, bool precision, std::span<Count> scratch, double* out) {
    const Areas compute = fitting(ranked, precision);
    for (std::uint32_t r = 0; r < resamples; ++r, ++stream.iteration, out += 3) {
        interrupt::poll();
        counts(stream, scratch);
        compute(scratch.data(), ranked, out);
    }
}

void areas(std::span<const Count> counts, const Ranking& ranked, bool precision, double* out) {
    const Areas compute = fitting(ranked, precision);
    for (std::size_t start = 0; start < counts.size(); start += ranked.order.size(), out += 3) compute(counts.data() + start, ranked, out);
}

}  // namespace novum::resampling
