#include "novum/sampling/density.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/interrupt.h"

namespace novum::sampling {

template <class Real>
double LogisticDensity<Real>::operator()(const double* x, double* gradient) const {
    const std::size_t d = dimension();
    std::vector<double> theta(p + 1), slope(p + 1);
    std::copy(x, x + d, theta.begin());
    const double loss = binary_pass(X, labels, theta.data(), intercept ? 1.0 : 0.0, rows, p, slope.data(), nullptr, nullptr);
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
        square += x[j] * x[j];
        gradient[j] = -slope[j] - precision * x[j];
    }
    return -loss - 0.5 * precision * square;
}

template class LogisticDensity<float>;
template class LogisticDensity<double>;

bool tell(Walker& walker, double log_prob, const double* gradient) {
    if (log_prob == INFINITY) return false;
    bool defined = !std::isnan(log_prob);
    if (gradient && log_prob > -INFINITY)
        for (std::size_t j = 0; defined && j < walker.dimension(); ++j) defined = std::isfinite(gradient[j]);
    if (!defined) walker.note_undefined(walker.next_point());
    walker.receive(defined ? log_prob : -INFINITY, gradient);
    return true;
}

bool drive(Walker& walker, const Density& density) {
    std::vector<double> gradient(walker.dimension());
    interrupt::Poller<64> poller;
    while (!walker.finished()) {
        poller.tick();
        const double value = density(walker.next_point(), gradient.data());
        if (!tell(walker, value, gradient.data())) return false;
    }
    return true;
}

}  // namespace novum::sampling
