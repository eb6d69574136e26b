#include "novum/svm/rows.h"
#include "novum/runtime/interrupt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace novum::svm {

namespace {

constexpr std::size_t PART_GROUPS = 16;  // groups of points that a thread takes at a time, with so many rows of the kernel matrix:
constexpr std::size_t ABREAST = 12;      // about ten microseconds of work, whose results stay in the cache
constexpr std::size_t PART_ROWS = 32;    // rows that a thread takes at a time
constexpr std::size_t TURN_ROWS = 4096;  // rows between two looks for Ctrl-C

// One pair, as the vectors of kernels/function.h compute it.
double one(const kernels::Function& f, double dot, double near, double far) {
    switch (f.kind) {
        case kernels::Kind::linear: return dot;
        case kernels::Kind::polynomial: return kernels::power<double>(f.gamma * dot + f.offset, f.degree);
        case kernels::Kind::gaussian: return std::exp(-f.gamma * std::max(0.0, near + far - 2 * dot));
        case kernels::Kind::sigmoid: return std::tanh(f.gamma * dot + f.offset);
    }
    return 0;
}

std::vector<std::int32_t> through(std::span<const std::int32_t> points, const std::vector<std::int32_t>& chosen) {
    std::vector<std::int32_t> out;
    for (std::int32_t i : points) out.push_back(chosen[static_cast<std::size_t>(i)]);
    return out;
}

std::size_t place(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

DenseRows::DenseRows(const kernels::Function& f, const double* x, std::size_t n, std::size_t columns, Team& team)
    : f(f), x(x), points(x, n, columns, nullptr), team(team) {}

DenseRows::DenseRows(const kernels::Function& f, std::vector<double> given, std::size_t columns, Team& team)
    : f(f), own(std::move(given)), x(own.data()), points(x, columns ? own.size() / columns : 0, columns, nullptr), team(team) {}

double DenseRows::diagonal(std::size_t i) const { return one(f, points.squares[i], points.squares[i], points.squares[i]); }

template <class Out>
void DenseRows::write(const std::int32_t* index, std::size_t count, Out* const* out) {
    const std::size_t d = points.columns;
    block.resize(count * d);
    squares.resize(count);
    for (std::size_t r = 0; r < count; ++r) {
        std::memcpy(block.data() + r * d, x + place(index[r]) * d, d * sizeof(double));
        squares[r] = points.squares[place(index[r])];
    }
    // Few rows: smaller parts, so that there are enough for many threads.
    const std::size_t step = count > ABREAST ? PART_GROUPS : PART_GROUPS / 2;
    const std::size_t groups = points.groups(), parts = (groups + step - 1) / step, turns = (count + ABREAST - 1) / ABREAST;
    team.run(static_cast<std::uint32_t>(parts * turns), [&](std::uint32_t item, int) {
        const std::size_t first = item % parts * step, last = std::min(groups, first + step);
        const std::size_t row = item / parts * ABREAST, rows = std::min(ABREAST, count - row);
        kernels::evaluate(f, block.data() + row * d, squares.data() + row, rows, points, first, last, out + row);
    });
}

std::unique_ptr<Rows> DenseRows::some(std::span<const std::int32_t> chosen) const {
    const std::size_t d = points.columns;
    std::vector<double> part(chosen.size() * d);
    for (std::size_t k = 0; k < chosen.size(); ++k) std::memcpy(part.data() + k * d, x + place(chosen[k]) * d, d * sizeof(double));
    return std::make_unique<DenseRows>(f, std::move(part), d, team);
}

void DenseRows::weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) {
    const std::size_t d = points.columns;
    std::vector<double> near(source.size() * d), far(target.size() * d), squares(target.size());
    for (std::size_t k = 0; k < source.size(); ++k) std::memcpy(near.data() + k * d, x + place(source[k]) * d, d * sizeof(double));
    const kernels::Points packed(near.data(), source.size(), d, nullptr);
    std::vector<double> coefficient(packed.groups() * kernels::Points::GROUP);
    std::copy_n(weight, source.size(), coefficient.data());
    for (std::size_t k = 0; k < target.size(); ++k) {
        std::memcpy(far.data() + k * d, x + place(target[k]) * d, d * sizeof(double));
        squares[k] = points.squares[place(target[k])];
    }
    std::fill_n(out, target.size(), 0.0);
    for (std::size_t from = 0; from < target.size(); from += TURN_ROWS) {
        const std::size_t until = std::min(target.size(), from + TURN_ROWS);
        team.run(static_cast<std::uint32_t>((until - from + PART_ROWS - 1) / PART_ROWS), [&](std::uint32_t part, int) {
            const std::size_t start = from + part * PART_ROWS, rows = std::min(PART_ROWS, until - start);
            kernels::weigh(f, far.data() + start * d, squares.data() + start, rows, packed, 0, packed.groups(), coefficient.data(),
                           coefficient.size(), 1, out + start);
        });
        interrupt::poll();
    }
}

SparseRows::SparseRows(const kernels::Function& f, const Compressed& x, std::vector<std::int32_t> given, Team& team)
    : f(f), x(x), chosen(std::move(given)), team(team), squares(chosen.size()), every(chosen.size()) {
    std::iota(every.begin(), every.end(), 0);
    for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::int64_t k = x.starts[chosen[i]]; k < x.starts[chosen[i] + 1]; ++k) squares[i] += x.values[k] * x.values[k];
}

double SparseRows::diagonal(std::size_t i) const { return one(f, squares[i], squares[i], squares[i]); }

// Calls take(number of the row, number among others, kernel) for points `index` with the points `others`.
template <class Take>
void SparseRows::pass(const std::int32_t* index, std::size_t count, std::span<const std::int32_t> others, Take&& take) {
    constexpr std::size_t ABREAST = 8;  // rows whose coordinates lie side by side while the others pass by
    scattered.resize(x.width * ABREAST, 0.0);
    for (std::size_t from = 0; from < count; from += ABREAST) {
        const std::size_t many = std::min(ABREAST, count - from);
        const auto scatter = [&](bool put) {
            for (std::size_t r = 0; r < many; ++r) {
                const std::int32_t i = chosen[place(index[from + r])];
                for (std::int64_t k = x.starts[i]; k < x.starts[i + 1]; ++k)
                    scattered[place(x.columns[k]) * ABREAST + r] = put ? x.values[k] : 0.0;
            }
        };
        scatter(true);
        team.run(static_cast<std::uint32_t>((others.size() + PART_ROWS - 1) / PART_ROWS), [&](std::uint32_t part, int) {
            for (std::size_t o = part * PART_ROWS; o < std::min(others.size(), (part + 1) * PART_ROWS); ++o) {
                const std::size_t j = place(others[o]);
                double dot[ABREAST] = {};
                for (std::int64_t k = x.starts[chosen[j]]; k < x.starts[chosen[j] + 1]; ++k) {
                    const double* at = scattered.data() + place(x.columns[k]) * ABREAST;
                    for (std::size_t r = 0; r < ABREAST; ++r) dot[r] += x.values[k] * at[r];
                }
                for (std::size_t r = 0; r < many; ++r) take(from + r, o, one(f, dot[r], squares[place(index[from + r])], squares[j]));
            }
        });
        scatter(false);
        interrupt::poll();
    }
}

template <class Out>
void SparseRows::write(const std::int32_t* index, std::size_t count, Out* const* out) {
    pass(index, count, every, [&](std::size_t r, std::size_t j, double k) { out[r][j] = static_cast<Out>(k); });
}

std::unique_ptr<Rows> SparseRows::some(std::span<const std::int32_t> points) const {
    return std::make_unique<SparseRows>(f, x, through(points, chosen), team);
}

void SparseRows::weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) {
    std::fill_n(out, target.size(), 0.0);  // a target belongs to one thread, so its sum needs no lock
    pass(source.data(), source.size(), target, [&](std::size_t s, std::size_t t, double k) { out[t] += weight[s] * k; });
}

template <class Out>
void GramRows::write(const std::int32_t* index, std::size_t count, Out* const* out) {
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t j = 0; j < chosen.size(); ++j) out[r][j] = static_cast<Out>(entry(place(index[r]), j));
}

std::unique_ptr<Rows> GramRows::some(std::span<const std::int32_t> points) const {
    return std::make_unique<GramRows>(gram, n, through(points, chosen));
}

void GramRows::weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) {
    for (std::size_t t = 0; t < target.size(); ++t) {
        out[t] = 0;
        for (std::size_t s = 0; s < source.size(); ++s) out[t] += weight[s] * entry(place(target[t]), place(source[s]));
        if (t % TURN_ROWS == 0) interrupt::poll();
    }
}

template void DenseRows::write(const std::int32_t*, std::size_t, float* const*);
template void DenseRows::write(const std::int32_t*, std::size_t, double* const*);
template void SparseRows::write(const std::int32_t*, std::size_t, float* const*);
template void SparseRows::write(const std::int32_t*, std::size_t, double* const*);
template void GramRows::write(const std::int32_t*, std::size_t, float* const*);
template void GramRows::write(const std::int32_t*, std::size_t, double* const*);

}  // namespace novum::svm
