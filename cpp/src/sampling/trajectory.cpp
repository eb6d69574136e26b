#include "novum/sampling/trajectory.h"

#include <algorithm>
#include <cmath>

namespace novum::sampling {

namespace {

constexpr double LARGEST_ERROR = 1000;  // of the energy: beyond, the integrator has left the level set for good (Stan's bound)

double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
}

void add(const Numbers& a, const Numbers& b, Numbers& out) {
    for (std::size_t j = 0; j < a.size(); ++j) out[j] = a[j] + b[j];
}

double log_sum(double a, double b) {
    const double high = std::max(a, b), low = std::min(a, b);
    return low == -INFINITY ? high : high + std::log1p(std::exp(low - high));
}

/// (3)
bool straight(const Numbers& first_velocity, const Numbers& last_velocity, const Numbers& rho) {
    return dot(first_velocity, rho) > 0 && dot(last_velocity, rho) > 0;
}

}  // namespace

Trajectory::Trajectory(std::size_t d, std::size_t max_depth)
    : d(d), max_depth(max_depth), here(d), front(d), back(d), sample(d), rho(d), scratch(d), stack(max_depth + 1, Tree(d)) {}

double Trajectory::uniform() { return rng::uniform<double>(rng::bits(stream, chain, n_uniform++)); }

void Trajectory::begin(const Numbers& q, double log_prob, const Numbers& gradient, const Numbers& p, const Metric& metric, double e,
                       const rng::Stream& numbers, std::size_t row) {
    stream = numbers;
    chain = row;
    n_steps = n_doublings = n_uniform = 0;
    sum_accepted = log_weight = 0;
    is_divergent = false;
    step = e;
    here.q = q;
    here.p = p;
    here.gradient = gradient;
    here.log_prob = log_prob;
    metric.velocity(here.p.data(), here.velocity.data());
    energy_0 = 0.5 * dot(here.p, here.velocity) - log_prob;
    front = back = here;
    rho = p;
    sample.q = q;
    sample.gradient = gradient;
    sample.log_prob = log_prob;
    sample.energy = energy_0;
    begin_half(metric);
}

void Trajectory::begin_half(const Metric& metric) {
    forwards = uniform() < 0.5;
    signed_step = forwards ? step : -step;
    here = forwards ? front : back;
    height = 0;
    half_step(metric);
}

void Trajectory::half_step(const Metric& metric) {
    for (std::size_t j = 0; j < d; ++j) here.p[j] += 0.5 * signed_step * here.gradient[j];
    metric.velocity(here.p.data(), here.velocity.data());
    for (std::size_t j = 0; j < d; ++j) here.q[j] += signed_step * here.velocity[j];
}

bool Trajectory::receive(double log_prob, const double* gradient, const Metric& metric) {
    for (std::size_t j = 0; j < d; ++j) {
        here.gradient[j] = gradient[j];
        here.p[j] += 0.5 * signed_step * gradient[j];
    }
    here.log_prob = log_prob;
    metric.velocity(here.p.data(), here.velocity.data());
    double energy = 0.5 * dot(here.p, here.velocity) - log_prob;
    if (std::isnan(energy)) energy = INFINITY;
    const double gain = energy_0 - energy;
    ++n_steps;
    sum_accepted += gain > 0 ? 1.0 : std::exp(gain);
    if (-gain > LARGEST_ERROR) {
        is_divergent = true;
        return true;
    }
    Tree& leaf = stack[height++];
    leaf.first_p = leaf.last_p = leaf.rho = here.p;
    leaf.first_velocity = leaf.last_velocity = here.velocity;
    leaf.drawn.q = here.q;
    leaf.drawn.gradient = here.gradient;
    leaf.drawn.log_prob = log_prob;
    leaf.drawn.energy = energy;
    leaf.log_weight = gain;
    leaf.height = 0;
    while (height > 1 && stack[height - 1].height == stack[height - 2].height)
        if (!merge()) return true;
    if (stack[0].height == n_doublings) return join(metric);
    half_step(metric);
    return false;
}

/// Merge the two trees on top of the stack; false where the whole, or its seam, turns back.
bool Trajectory::merge() {
    Tree &a = stack[height - 2], &b = stack[height - 1];
    add(a.rho, b.first_p, scratch);
    bool goes_on = straight(a.first_velocity, b.first_velocity, scratch);
    add(b.rho, a.last_p, scratch);
    goes_on = goes_on && straight(a.last_velocity, b.last_velocity, scratch);
    for (std::size_t j = 0; j < d; ++j) a.rho[j] += b.rho[j];
    goes_on = goes_on && straight(a.first_velocity, b.last_velocity, a.rho);
    if (!goes_on) return false;
    const double total = log_sum(a.log_weight, b.log_weight);
    if (uniform() < std::exp(b.log_weight - total)) std::swap(a.drawn, b.drawn);  // (4)
    a.log_weight = total;
    std::swap(a.last_p, b.last_p);
    std::swap(a.last_velocity, b.last_velocity);
    ++a.height;
    --height;
    return true;
}

/// Add the finished half to the trajectory; true where it has turned back or is as deep as it may be.
bool Trajectory::join(const Metric& metric) {
    Tree& half = stack[0];
    ++n_doublings;
    if (half.log_weight >= log_weight || uniform() < std::exp(half.log_weight - log_weight)) std::swap(sample, half.drawn);
    log_weight = log_sum(log_weight, half.log_weight);
    Point &near = forwards ? front : back, &far = forwards ? back : front;
    add(rho, half.first_p, scratch);
    bool goes_on = straight(far.velocity, half.first_velocity, scratch);
    add(half.rho, near.p, scratch);
    goes_on = goes_on && straight(near.velocity, half.last_velocity, scratch);
    for (std::size_t j = 0; j < d; ++j) rho[j] += half.rho[j];
    goes_on = goes_on && straight(far.velocity, half.last_velocity, rho);
    near = here;
    if (!goes_on || n_doublings == max_depth) return true;
    begin_half(metric);
    return false;
}

}  // namespace novum::sampling
