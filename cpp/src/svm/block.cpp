#include "novum/svm/block.h"
#include "novum/runtime/simd.h"

namespace novum::svm {

namespace {

constexpr std::size_t COLUMNS = 512;   // of a part: their sums stay in the first cache
constexpr std::size_t LOOK_AT = 1024;  // variables that a thread looks at, at a time

template <class Real>
NOVUM_CLONES void add_part(const Real* const* row, const double* weight, std::size_t rows, std::size_t first, std::size_t last,
                           double* out) {
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const Real *a = row[r], *b = row[r + 1], *c = row[r + 2], *d = row[r + 3];
        const double u = weight[r], v = weight[r + 1], w = weight[r + 2], z = weight[r + 3];
        for (std::size_t t = first; t < last; ++t)
            out[t] += (u * static_cast<double>(a[t]) + v * static_cast<double>(b[t])) +
                      (w * static_cast<double>(c[t]) + z * static_cast<double>(d[t]));
    }
    for (; r < rows; ++r)
        for (std::size_t t = first; t < last; ++t) out[t] += weight[r] * static_cast<double>(row[r][t]);
}

}  // namespace

const std::vector<std::size_t>& BlockChoice::next(std::span<const double> f, std::span<const float> up, std::span<const float> down,
                                                  std::size_t first, std::size_t last, std::size_t size, double least, double most,
                                                  Team* team) {
    chosen.clear();
    held.assign(f.size(), 0);
    for (const std::size_t at : fresh)
        if (at >= first && at < last && chosen.size() < size / 2) {
            held[at] = 1;
            chosen.push_back(at);
        }
    const std::size_t each = (size - chosen.size()) / 2, parts = (last - first + LOOK_AT - 1) / LOOK_AT;
    const auto keep_worst = [each](Ranked& side) {
        const auto many = static_cast<std::ptrdiff_t>(std::min(each, side.size()));
        std::nth_element(side.begin(), side.begin() + many, side.end());
        side.resize(static_cast<std::size_t>(many));
    };
    rising.resize(std::max(rising.size(), parts));
    falling.resize(std::max(falling.size(), parts));
    const auto part = [&](std::uint32_t k, int) {
        rising[k].clear();
        falling[k].clear();
        for (std::size_t at = first + k * LOOK_AT; at < std::min(last, first + (k + 1) * LOOK_AT); ++at) {
            if (held[at]) continue;
            if (up[at] == 0 && f[at] < most) rising[k].emplace_back(f[at], at);
            if (down[at] == 0 && f[at] > least) falling[k].emplace_back(-f[at], at);
        }
        keep_worst(rising[k]);
        keep_worst(falling[k]);
    };
    if (team)
        team->run(static_cast<std::uint32_t>(parts), part);
    else
        for (std::uint32_t k = 0; k < parts; ++k) part(k, 0);
    for (auto* side : {&rising, &falling}) {
        Ranked& all = side->front();
        for (std::size_t k = 1; k < parts; ++k) all.insert(all.end(), (*side)[k].begin(), (*side)[k].end());
        keep_worst(all);
    }
    fresh.clear();
    for (std::size_t k = 0; k < each; ++k)
        for (const auto* side : {&rising.front(), &falling.front()})
            if (k < side->size() && !held[(*side)[k].second]) {
                held[(*side)[k].second] = 1;
                fresh.push_back((*side)[k].second);
            }
    chosen.insert(chosen.end(), fresh.begin(), fresh.end());
    return chosen;
}

template <class Real>
void add_rows(std::span<const Real* const> row, std::span<const double> weight, std::size_t count, double* out, Team* team) {
    const auto parts = static_cast<std::uint32_t>((count + COLUMNS - 1) / COLUMNS);
    const auto part = [&](std::uint32_t k, int) {
        const std::size_t first = k * COLUMNS, last = std::min(count, first + COLUMNS);
        add_part(row.data(), weight.data(), row.size(), first, last, out);
    };
    if (team)
        team->run(parts, part);
    else
        for (std::uint32_t k = 0; k < parts; ++k) part(k, 0);
}

template void add_rows(std::span<const float* const>, std::span<const double>, std::size_t, double*, Team*);
template void add_rows(std::span<const double* const>, std::span<const double>, std::size_t, double*, Team*);

}  // namespace novum::svm
