#include "novum/sampling/adaptation.h"

#include <algorithm>
#include <cmath>

namespace novum::sampling {

namespace {

constexpr double GAMMA = 0.05, T0 = 10, KAPPA = 0.75;
constexpr std::size_t FIRST = 75, WIDTH = 25, LAST = 50, LEAST = 20;  // Stan's; below LEAST iterations no covariance is learned

}  // namespace

void StepSize::restart(double start) {
    step = start;
    anchor = std::log(10 * start);
    h = 0;
    log_average = std::log(start);
    t = 0;
}

void StepSize::learn(double accepted, double target) {
    ++t;
    const double time = static_cast<double>(t), share = 1 / (time + T0), weight = std::pow(time, -KAPPA);
    h = (1 - share) * h + share * (target - (std::isnan(accepted) ? 0.0 : std::min(1.0, accepted)));
    const double log_step = anchor - std::sqrt(time) / GAMMA * h;
    log_average = weight * log_step + (1 - weight) * log_average;
    step = std::exp(log_step);
}

double StepSize::average() const { return std::exp(log_average); }

Windows::Windows(std::size_t n, std::size_t first_width) : first(n), last(n), width(first_width ? first_width : WIDTH), end(n) {
    if (n < LEAST) return;
    if (n >= FIRST + width + LAST) {
        first = FIRST;
        last = n - LAST;
    } else {
        first = n * 15 / 100;
        last = n - n / 10;
        width = last - first;
    }
    plan_end(first);
}

void Windows::plan_end(std::size_t begin) {
    end = begin + width;
    if (end + 2 * width > last) end = last;  // the next would not fit: this one takes what is left
}

bool Windows::ends(std::size_t iteration) {
    if (!learns(iteration) || iteration + 1 != end) return false;
    width *= 2;
    if (end < last) plan_end(end);
    return true;
}

}  // namespace novum::sampling
