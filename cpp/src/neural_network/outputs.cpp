#include "novum/neural_network/outputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "novum/neural_network/activations.h"

namespace novum::neural_network {

namespace {

/// y log(y / p), zero at y = 0.
double y_log_ratio(double y, double p) { return y == 0 ? 0.0 : y * std::log(y / p); }

/// y log(p), zero at y = 0.
double y_log(double y, double p) { return y == 0 ? 0.0 : y * std::log(p); }

}  // namespace

template <class Real>
void apply_output(Output output, Real* z, std::size_t rows, std::size_t columns, std::size_t pitch) {
    const Units<Real> units{z, rows, columns, pitch, nullptr};
    if (output == Output::Softmax) {
        softmax_rows(units);
    } else if (output == Output::Logistic) {
        activate(Function{Activation::Sigmoid, 0}, units);
    } else if (output == Output::Exponential) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) z[r * pitch + c] = std::exp(z[r * pitch + c]);
    }
}

template <class Real>
double output_error(Output output, const Real* p, std::size_t rows, std::size_t columns, std::size_t pitch, const Targets<Real>& targets,
                    const std::int64_t* row, Real* delta) {
    const double eps = std::numeric_limits<Real>::epsilon();
    const auto inside = [eps](double probability) { return std::clamp(probability, eps, 1 - eps); };
    double total = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const double weight = targets.weight ? targets.weight[row[r]] : 1.0;
        const Real* q = p + r * pitch;
        Real* d = delta + r * pitch;
        double loss = 0;
        if (output == Output::Softmax) {
            const std::size_t code = static_cast<std::size_t>(targets.code[row[r]]);
            for (std::size_t c = 0; c < columns; ++c) d[c] = q[c];
            d[code] -= 1;
            loss = -std::log(inside(q[code]));
        } else {
            const Real* y = targets.value + static_cast<std::size_t>(row[r]) * columns;
            for (std::size_t c = 0; c < columns; ++c) {
                d[c] = q[c] - y[c];
                if (output == Output::Logistic)
                    loss -= y_log(y[c], inside(q[c])) + y_log(1.0 - y[c], 1 - inside(q[c]));
                else if (output == Output::Linear)
                    loss += 0.5 * static_cast<double>(d[c]) * static_cast<double>(d[c]) / static_cast<double>(columns);
                else
                    loss += y_log_ratio(y[c], q[c]) - static_cast<double>(y[c]) + static_cast<double>(q[c]);
            }
        }
        if (weight != 1)
            for (std::size_t c = 0; c < columns; ++c) d[c] *= static_cast<Real>(weight);
        std::fill(d + columns, d + pitch, Real(0));
        total += weight * loss;
    }
    return total;
}

#define NOVUM_INSTANTIATE(Real)                                                                                                         \
    template void apply_output(Output, Real*, std::size_t, std::size_t, std::size_t);                                                   \
    template double output_error(Output, const Real*, std::size_t, std::size_t, std::size_t, const Targets<Real>&, const std::int64_t*, \
                                 Real*);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
