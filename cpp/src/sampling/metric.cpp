#include "novum/sampling/metric.h"

#include <cmath>

namespace novum::sampling {

namespace {

constexpr double PRIOR_DRAWS = 5, PRIOR_VARIANCE = 1e-3;  // Stan's, for the unit scale that users are expected to give

}  // namespace

bool factorize(std::vector<double>& matrix, std::size_t d) {
    for (std::size_t j = 0; j < d; ++j) {
        double* row = &matrix[j * d];
        double pivot = row[j];
        for (std::size_t k = 0; k < j; ++k) pivot -= row[k] * row[k];
        if (!(pivot > 0) || std::isinf(pivot)) return false;
        const double root = row[j] = std::sqrt(pivot);
        for (std::size_t i = j + 1; i < d; ++i) {
            double* below = &matrix[i * d];
            double sum = below[j];
            for (std::size_t k = 0; k < j; ++k) sum -= below[k] * row[k];
            below[j] = sum / root;
        }
    }
    return true;
}

Metric::Metric(std::size_t d, bool dense) : d(d), is_dense(dense), shape(dense ? d * d : d, dense ? 0.0 : 1.0) {
    if (dense)
        for (std::size_t j = 0; j < d; ++j) shape[j * d + j] = 1;
    factor = shape;
}

bool Metric::set(const double* covariance) {
    std::vector<double> next(covariance, covariance + shape.size()), root = next;
    if (is_dense) {
        if (!factorize(root, d)) return false;
    } else {
        for (double& value : root) {
            if (!(value > 0) || std::isinf(value)) return false;
            value = std::sqrt(value);
        }
    }
    shape = std::move(next);
    factor = std::move(root);
    return true;
}

void Metric::velocity(const double* momentum, double* out) const {
    if (!is_dense) {
        for (std::size_t j = 0; j < d; ++j) out[j] = shape[j] * momentum[j];
        return;
    }
    for (std::size_t i = 0; i < d; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) sum += shape[i * d + j] * momentum[j];
        out[i] = sum;
    }
}

void Metric::momentum(double* z) const {
    if (!is_dense) {
        for (std::size_t j = 0; j < d; ++j) z[j] /= factor[j];
        return;
    }
    for (std::size_t i = d; i-- > 0;) {  // L' p = z from below
        z[i] /= factor[i * d + i];
        for (std::size_t k = 0; k < i; ++k) z[k] -= factor[i * d + k] * z[i];
    }
}

void Metric::draw(const double* z, double* out) const {
    if (!is_dense) {
        for (std::size_t j = 0; j < d; ++j) out[j] = factor[j] * z[j];
        return;
    }
    for (std::size_t i = 0; i < d; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= i; ++j) sum += factor[i * d + j] * z[j];
        out[i] = sum;
    }
}

Moments::Moments(std::size_t d, bool dense) : d(d), dense(dense), mean(d), sums(dense ? d * d : d), before(d) {}

void Moments::restart() {
    n = 0;
    mean.assign(mean.size(), 0);
    sums.assign(sums.size(), 0);
}

void Moments::add(const double* x) {
    ++n;
    for (std::size_t j = 0; j < d; ++j) {
        before[j] = x[j] - mean[j];
        mean[j] += before[j] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < d; ++i) {
        const double after = x[i] - mean[i];
        if (!dense)
            sums[i] += before[i] * after;
        else
            for (std::size_t j = 0; j <= i; ++j) sums[j * d + i] = sums[i * d + j] += before[j] * after;
    }
}

std::vector<double> Moments::covariance() const {
    const double m = static_cast<double>(n), share = m / (m + PRIOR_DRAWS) / (m > 1 ? m - 1 : 1);
    const double unit = PRIOR_VARIANCE * PRIOR_DRAWS / (m + PRIOR_DRAWS);
    std::vector<double> out(sums);
    for (double& value : out) value *= share;
    for (std::size_t j = 0; j < d; ++j) out[dense ? j * d + j : j] += unit;
    return out;
}

}  // namespace novum::sampling
