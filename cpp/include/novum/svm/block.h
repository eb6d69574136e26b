// A few hundred variables that are brought to their own optimum while all others rest (decomposition; Joachims 1999): steps within the
// block touch a matrix that a cache holds, and the slopes of all points move once a block instead of once a step.
#pragma once
#include "novum/runtime/panels.h"
#include "novum/runtime/team.h"
#include "novum/svm/working_set.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace novum::svm {

/// The variables of a block, packed: (1) of smo.h over them alone.
template <class Real>
struct Block {
    std::size_t count = 0, stride = 0;             // stride: count up to a multiple of 16
    std::vector<Real> kernel;                      // (count, stride); whoever fills it sets what is beyond count to zero
    std::vector<double> f, b, low, high;           // of length stride
    std::vector<float> brief, up, down, diagonal;  // up, down: 0 where a variable may rise or fall, else NO

    void resize(std::size_t n) {
        count = n;
        stride = (n + 15) / 16 * 16;
        kernel.resize(count * stride);
        for (auto* each : {&f, &b, &low, &high}) each->assign(stride, 0.0);
        for (auto* each : {&up, &down}) each->assign(stride, NO);
        brief.assign(stride, 0.0f);
        diagonal.assign(stride, 0.0f);
    }
    void bar(std::size_t t) {
        up[t] = b[t] < high[t] ? 0.0f : NO;
        down[t] = b[t] > low[t] ? 0.0f : NO;
    }

    /// Take up to `most` steps, until the violation within the block is at most `enough`; returns how many it took.
    std::int64_t settle(double enough, std::int64_t most) {
        const std::vector<Real> none(stride, Real(0));
        Extremes e = refresh(none.data(), none.data(), 0);
        std::int64_t steps = 0;
        for (; steps < most && e.most - e.least > enough; ++steps) {
            const std::size_t i = e.rising;
            const Real* ki = kernel.data() + i * stride;
            const Partner p = widest<Choose<Real>>(stride, ki, brief[i], diagonal[i], brief.data(), diagonal.data(), down.data());
            std::size_t j = p.gain > 0 ? p.at : e.falling;
            if (!(f[j] > f[i])) j = e.falling;
            const Real* kj = kernel.data() + j * stride;
            const double bend = std::max(FLAT, static_cast<double>(ki[i]) + static_cast<double>(kj[j]) - 2.0 * static_cast<double>(ki[j]));
            const double rise = high[i] - b[i], fall = b[j] - low[j], d = std::min({(f[j] - f[i]) / bend, rise, fall});
            const double from_i = b[i], from_j = b[j];
            b[i] = d >= rise ? high[i] : b[i] + d;
            b[j] = d >= fall ? low[j] : b[j] - d;
            if (b[i] == from_i && b[j] == from_j) break;
            bar(i);
            bar(j);
            e = refresh(ki, kj, d);
        }
        return steps;
    }

  private:
    Extremes refresh(const Real* ki, const Real* kj, double d) {
        return widest<Update<Real>>(stride, ki, kj, d, f.data(), brief.data(), up.data(), down.data());
    }
};

/// Which variables make the next block: the worst that may rise and the worst that may fall, and half of the block before; what one
/// block moves another would move back.
class BlockChoice {
  public:
    /// Up to `size` variables of [first, last), those of the block before first; `least` and `most` are the extremes of (3).
    const std::vector<std::size_t>& next(std::span<const double> f, std::span<const float> up, std::span<const float> down,
                                         std::size_t first, std::size_t last, std::size_t size, double least, double most, Team* team);
    /// Numbers have changed their meaning.
    void forget() { fresh.clear(); }

  private:
    std::vector<std::size_t> chosen, fresh;  // fresh: those that were not in the block before
    using Ranked = std::vector<std::pair<double, std::size_t>>;
    std::vector<Ranked> rising, falling;  // by parts of the variables
    std::vector<char> held;
};

/// out[t] += sum over rows r of weight[r] row[r][t], for t below count, a multiple of 16; the team shares the columns.
template <class Real>
void add_rows(std::span<const Real* const> row, std::span<const double> weight, std::size_t count, double* out, Team* team);

}  // namespace novum::svm
