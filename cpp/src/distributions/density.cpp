#include "novum/distributions/density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr std::size_t FACTORIALS = 256;  // beyond it three terms of Stirling's series have all digits
constexpr std::size_t LANES = 16;        // rows substituted side by side

const std::array<double, FACTORIALS>& factorials() {
    static const auto table = [] {
        std::array<double, FACTORIALS> out{};
        for (std::size_t i = 0; i < FACTORIALS; ++i) out[i] = std::lgamma(static_cast<double>(i) + 1.0);
        return out;
    }();
    return table;
}

NOVUM_INLINE bool is_count(double x) { return x >= 0 && x == std::floor(x) && x < INFINITE; }

// Outside of the support, or NaN.
NOVUM_INLINE double outside(double x) { return x == x ? -INFINITE : x; }

// a * b where b may be minus infinity and a zero.
NOVUM_INLINE double times_log(double a, double b) { return a == 0 ? 0.0 : a * b; }

template <class Density>
void over(const double* x, Meeting m, double* out, Density density) {
    if (m.k == 1) {
        for (std::size_t i = 0; i < m.outcomes; ++i) out[i] = density(x[i], 0);
    } else if (m.paired) {
        for (std::size_t i = 0; i < m.outcomes; i += m.k)
            for (std::size_t j = 0; j < m.k; ++j) out[i + j] = density(x[i + j], j);
    } else {
        for (std::size_t i = 0; i < m.outcomes; ++i)
            for (std::size_t j = 0; j < m.k; ++j) out[i * m.k + j] = density(x[i], j);
    }
}

template <class Density>
void over_rows(const double* x, Meeting m, std::size_t d, double* out, Density density) {
    for (std::size_t i = 0; i < m.outcomes; ++i) {
        if (m.paired)
            out[i] = density(x + i * d, i % m.k);
        else
            for (std::size_t j = 0; j < m.k; ++j) out[i * m.k + j] = density(x + i * d, j);
    }
}

// Up to LANES rows, `stride` apart, as columns of `turned` (d x LANES); the last row fills what is left.
NOVUM_INLINE void turn(const double* x, std::size_t stride, std::size_t rows, std::size_t d, double* turned) {
    for (std::size_t r = 0; r < LANES; ++r) {
        const double* row = x + std::min(r, rows - 1) * stride;
        for (std::size_t i = 0; i < d; ++i) turned[i * LANES + r] = row[i];
    }
}

// The squares of LANES turned rows against one distribution; solved (d x LANES) is scratch.
NOVUM_CLONES void substitute(const double* turned, std::size_t d, const double* mean, const double* factor, const double* inverse,
                             double* solved, double* square) {
    double sum[LANES] = {};
    for (std::size_t i = 0; i < d; ++i) {
        double y[LANES];  // stays in registers: a pointer into `solved` could alias z
        for (std::size_t r = 0; r < LANES; ++r) y[r] = turned[i * LANES + r] - mean[i];
        const double* line = factor + i * d;
        for (std::size_t j = 0; j < i; ++j) {
            const double* z = solved + j * LANES;
            const double l = line[j];
            for (std::size_t r = 0; r < LANES; ++r) y[r] -= l * z[r];
        }
        for (std::size_t r = 0; r < LANES; ++r) {
            y[r] *= inverse[i];
            sum[r] += y[r] * y[r];
            solved[i * LANES + r] = y[r];
        }
    }
    std::copy(sum, sum + LANES, square);
}

}  // namespace

double log_factorial(double x) {
    if (x < static_cast<double>(FACTORIALS)) return factorials()[static_cast<std::size_t>(x)];
    const double inverse = 1 / x, square = inverse * inverse;
    constexpr double HALF_LOG_2PI = 0.91893853320467274178;
    return (x + 0.5) * std::log(x) - x + HALF_LOG_2PI + inverse * (1.0 / 12 - square * (1.0 / 360 - square / 1260));
}

void gamma_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *power = table, *rate = table + m.k, *norm = table + 2 * m.k, *at_zero = table + 3 * m.k;
    over(x, m, out, [=](double v, std::size_t j) {
        if (v > 0) return power[j] * std::log(v) - rate[j] * v + norm[j];
        return v == 0 ? at_zero[j] : outside(v);
    });
}

void beta_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *a = table, *b = table + m.k, *norm = table + 2 * m.k;
    const auto edge = [](double power, double value) { return power > 0 ? -INFINITE : power < 0 ? INFINITE : value; };
    over(x, m, out, [=](double v, std::size_t j) {
        if (v > 0 && v < 1) return a[j] * std::log(v) + b[j] * std::log1p(-v) + norm[j];
        return v == 0 ? edge(a[j], norm[j]) : v == 1 ? edge(b[j], norm[j]) : outside(v);
    });
}

void bernoulli_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *success = table, *failure = table + m.k;
    over(x, m, out, [=](double v, std::size_t j) { return v == 1 ? success[j] : v == 0 ? failure[j] : outside(v); });
}

void poisson_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *log_rate = table, *rate = table + m.k;
    over(x, m, out,
         [=](double v, std::size_t j) { return is_count(v) ? times_log(v, log_rate[j]) - log_factorial(v) - rate[j] : outside(v); });
}

void binomial_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *n = table, *success = table + m.k, *failure = table + 2 * m.k, *factorial = table + 3 * m.k;
    over(x, m, out, [=](double v, std::size_t j) {
        if (!is_count(v) || v > n[j]) return outside(v);
        const double rest = n[j] - v;
        return factorial[j] - log_factorial(v) - log_factorial(rest) + times_log(v, success[j]) + times_log(rest, failure[j]);
    });
}

void exponential_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *minus_rate = table, *log_rate = table + m.k;
    over(x, m, out, [=](double v, std::size_t j) { return v >= 0 ? minus_rate[j] * v + log_rate[j] : outside(v); });
}

void uniform_log_density(const double* x, Meeting m, const double* table, double* out) {
    const double *low = table, *high = table + m.k, *height = table + 2 * m.k;
    over(x, m, out, [=](double v, std::size_t j) { return v >= low[j] && v <= high[j] ? height[j] : outside(v); });
}

void dirichlet_log_density(const double* x, Meeting m, std::size_t d, const double* power, const double* norm, double slack, double* out) {
    over_rows(x, m, d, out, [=](const double* row, std::size_t j) {
        double total = 0, value = norm[j];
        bool inside = true;
        for (std::size_t i = 0; i < d; ++i) {
            total += row[i];
            inside &= row[i] >= 0;
            value += times_log(power[j * d + i], std::log(row[i]));
        }
        return inside && std::fabs(total - 1) <= slack ? value : outside(total);
    });
}

void multinomial_log_density(const double* x, Meeting m, std::size_t d, const double* log_p, const double* n, const double* norm,
                             double* out) {
    over_rows(x, m, d, out, [=](const double* row, std::size_t j) {
        double total = 0, value = norm[j];
        bool inside = true;
        for (std::size_t i = 0; i < d; ++i) {
            total += row[i];
            if (is_count(row[i]))
                value += times_log(row[i], log_p[j * d + i]) - log_factorial(row[i]);
            else
                inside = false;
        }
        return inside && total == n[j] ? value : outside(total);
    });
}

void squared_length(const double* x, Meeting m, std::size_t d, const double* mean, const double* factor, double* out) {
    std::vector<double> turned(d * LANES), solved(d * LANES), inverse(m.k * d);
    for (std::size_t j = 0; j < m.k; ++j)
        for (std::size_t i = 0; i < d; ++i) inverse[j * d + i] = 1 / factor[(j * d + i) * d + i];
    const std::size_t each = m.paired ? m.outcomes / m.k : m.outcomes, stride = m.paired ? m.k * d : d;
    for (std::size_t start = 0; start < each; start += LANES) {
        const std::size_t rows = std::min(LANES, each - start);
        for (std::size_t j = 0; j < m.k; ++j) {
            if (m.paired || j == 0) turn(x + start * stride + (m.paired ? j * d : 0), stride, rows, d, turned.data());
            double square[LANES];
            substitute(turned.data(), d, mean + j * d, factor + j * d * d, inverse.data() + j * d, solved.data(), square);
            for (std::size_t r = 0; r < rows; ++r) out[(start + r) * m.k + j] = square[r];
        }
    }
}

}  // namespace novum
