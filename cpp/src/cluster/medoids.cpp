#include "novum/cluster/medoids.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"

namespace novum::cluster {

namespace {

using panel::at;
using panel::Simd;
constexpr double ENOUGH =
    1e-12;  // share of the sums it comes from that a swap must gain: less may be rounding, and swaps could run in circles

template <class Real>
struct State {
    const Real* matrix;
    std::size_t n, k;
    const double* weight;
    std::int64_t* medoid;
    std::vector<Real> nearest, second;      // (n,)
    std::vector<std::int32_t> near, after;  // (n,): which medoid
    std::vector<double> removal, change;    // (k,): (3) without a candidate, with one

    const Real* row(std::int64_t i) const { return matrix + at(i) * n; }
    double w(std::size_t i) const { return weight ? weight[i] : 1.0; }

    void assign(std::size_t i) {
        nearest[i] = second[i] = std::numeric_limits<Real>::infinity();
        near[i] = after[i] = -1;
        for (std::size_t m = 0; m < k; ++m) {
            const Real d = row(medoid[m])[i];
            if (d < nearest[i] || near[i] < 0)
                second[i] = nearest[i], after[i] = near[i], nearest[i] = d, near[i] = static_cast<std::int32_t>(m);
            else if (d < second[i] || after[i] < 0)
                second[i] = d, after[i] = static_cast<std::int32_t>(m);
        }
    }

    double loss() const {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) total += w(i) * static_cast<double>(nearest[i]);
        return total;
    }

    void removals() {
        std::fill(removal.begin(), removal.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i)
            removal[at(near[i])] += w(i) * (static_cast<double>(second[i]) - static_cast<double>(nearest[i]));
    }

    /// Put row c in the place of medoid m; every row's nearest two follow.
    void swap(std::size_t m, std::int64_t c) {
        medoid[m] = c;
        const Real* d = row(c);
        const auto self = static_cast<std::int32_t>(m);
        for (std::size_t i = 0; i < n; ++i) {
            if (near[i] == self || after[i] == self) {
                if (near[i] == self && d[i] < second[i])
                    nearest[i] = d[i];
                else
                    assign(i);
            } else if (d[i] < nearest[i]) {
                second[i] = nearest[i], after[i] = near[i], nearest[i] = d[i], near[i] = self;
            } else if (d[i] < second[i]) {
                second[i] = d[i], after[i] = self;
            }
        }
        removals();
    }
};

template <class Real>
struct Judge {
    /// (2), with (3) in state.change: rows that the candidate is not among the nearest two of are skipped a vector at a time.
    template <int BYTES>
    static NOVUM_INLINE double run(State<Real>& state, const Real* d) {
        using S = Simd<Real, BYTES>;
        constexpr std::size_t L = S::LANES;
        double gained = 0;
        auto look = [&](std::size_t i) NOVUM_LAMBDA {
            if (!(d[i] < state.second[i])) return;
            const double far = static_cast<double>(state.second[i]), own = static_cast<double>(state.nearest[i]),
                         here = static_cast<double>(d[i]);
            if (here < own) {
                gained += state.w(i) * (here - own);
                state.change[at(state.near[i])] += state.w(i) * (own - far);
            } else {
                state.change[at(state.near[i])] += state.w(i) * (here - far);
            }
        };
        std::size_t i = 0;
        for (; i + 4 * L <= state.n; i += 4 * L) {
            typename S::I any{};
            for (std::size_t v = 0; v < 4 * L; v += L) any |= S::load(d + i + v) < S::load(state.second.data() + i + v);
            std::uint64_t words[sizeof(any) / 8], all = 0;
            std::memcpy(words, &any, sizeof any);
            for (const std::uint64_t word : words) all |= word;
            if (all)
                for (std::size_t j = i; j < i + 4 * L; ++j) look(j);
        }
        for (; i < state.n; ++i) look(i);
        return gained;
    }
};

}  // namespace

template <class Real>
MedoidResult faster_pam(const Real* matrix, std::size_t n, const double* weight, std::int64_t* medoid, std::size_t k,
                        std::size_t most_rounds, std::int64_t* label) {
    State<Real> state{matrix,
                      n,
                      k,
                      weight,
                      medoid,
                      std::vector<Real>(n),
                      std::vector<Real>(n),
                      std::vector<std::int32_t>(n),
                      std::vector<std::int32_t>(n),
                      std::vector<double>(k),
                      std::vector<double>(k)};
    for (std::size_t i = 0; i < n; ++i) state.assign(i);
    std::vector<bool> chosen(n, false);
    for (std::size_t m = 0; m < k; ++m) chosen[at(medoid[m])] = true;
    std::size_t rounds = 0, swaps = 0, last = n;  // last: the candidate of the last swap; a round without one ends the search
    double loss = state.loss();
    bool converged = k == n;
    interrupt::Poller<64> poller;
    if (k > 1) state.removals();
    while (!converged && rounds < most_rounds) {
        ++rounds;
        for (std::size_t c = 0; c < n; ++c) {
            poller.tick();
            if (c == last) {
                converged = true;
                break;
            }
            if (chosen[c]) continue;
            const auto row = static_cast<std::int64_t>(c);
            double change, summed = loss;
            std::size_t best = 0;
            if (k == 1) {
                change = -loss;
                for (std::size_t i = 0; i < n; ++i) change += state.w(i) * static_cast<double>(state.row(row)[i]);
            } else {
                state.change = state.removal;
                const double gained = widest<Judge<Real>>(state, state.row(row));
                best = static_cast<std::size_t>(std::min_element(state.change.begin(), state.change.end()) - state.change.begin());
                change = gained + state.change[best];
                summed += state.removal[best];
            }
            if (!(change < -ENOUGH * summed)) continue;
            chosen[at(medoid[best])] = false, chosen[c] = true;
            state.swap(best, row);
            loss += change;
            ++swaps, last = c;
        }
        if (last == n) converged = true;
    }
    for (std::size_t i = 0; i < n; ++i) {
        state.assign(i);
        label[i] = state.near[i];
    }
    for (std::size_t m = 0; m < k; ++m) label[at(medoid[m])] = static_cast<std::int64_t>(m);
    return {state.loss(), rounds, swaps, converged};
}
template MedoidResult faster_pam(const float*, std::size_t, const double*, std::int64_t*, std::size_t, std::size_t, std::int64_t*);
template MedoidResult faster_pam(const double*, std::size_t, const double*, std::int64_t*, std::size_t, std::size_t, std::int64_t*);

template <class Real>
void build_medoids(const Real* matrix, std::size_t n, const double* weight, std::int64_t* medoid, std::size_t k) {
    std::vector<Real> nearest(n, std::numeric_limits<Real>::infinity());
    std::vector<bool> chosen(n, false);
    interrupt::Poller<64> poller;
    for (std::size_t m = 0; m < k; ++m) {
        double best = std::numeric_limits<double>::infinity();
        std::size_t taken = n;
        for (std::size_t c = 0; c < n; ++c) {
            if (chosen[c]) continue;
            poller.tick();
            double total = 0;
            const Real* d = matrix + c * n;
            for (std::size_t i = 0; i < n; ++i) total += (weight ? weight[i] : 1.0) * static_cast<double>(std::min(nearest[i], d[i]));
            if (taken == n || total < best) best = total, taken = c;
        }
        chosen[taken] = true, medoid[m] = static_cast<std::int64_t>(taken);
        for (std::size_t i = 0; i < n; ++i) nearest[i] = std::min(nearest[i], matrix[taken * n + i]);
    }
}
template void build_medoids(const float*, std::size_t, const double*, std::int64_t*, std::size_t);
template void build_medoids(const double*, std::size_t, const double*, std::int64_t*, std::size_t);

}  // namespace novum::cluster
