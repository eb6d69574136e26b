// Sums without rounding, draws, indices, and the slopes of the losses of stochastic gradient descent.
#include <algorithm>

#include "check.h"
#include "novum/linear_model/sgd_losses.h"
#include "novum/moments/exact_sums.h"
#include "novum/runtime/indices.h"
#include "novum/runtime/rng.h"
#include "novum/runtime/tiles.h"

using namespace novum;
using namespace novum::test;

namespace {

bool same_sum(ExactSum a, ExactSum b) {
    a.carry(), b.carry();
    return std::equal(a.limb, a.limb + ExactSum::LIMBS, b.limb);
}

}  // namespace

TEST(exact_sums_forget_the_order) {
    Draws draws(1);
    std::vector<double> x;
    for (int i = 0; i < 2000; ++i) x.push_back(std::ldexp(draws.uniform(-1, 1), static_cast<int>(draws.below(2000)) - 1050));
    for (double special : {0.0, -0.0, LEAST_NUMBER, -LEAST_NUMBER, MOST_NUMBER, -MOST_NUMBER, 0x1p-1022, 1.0}) x.push_back(special);
    ExactSum forward, backward, left, right, nothing;
    for (double value : x) forward.add(value);
    for (auto value = x.rbegin(); value != x.rend(); ++value) backward.add(*value);
    for (std::size_t i = 0; i < x.size(); ++i) (i % 3 ? left : right).add(x[i]);
    left.add(right);
    CHECK(same_sum(forward, backward) && same_sum(forward, left) && !same_sum(forward, nothing));
    for (double value : x) forward.add(-value);
    CHECK(same_sum(forward, nothing));
    forward.add(LEAST_NUMBER);  // the smallest number there is does not get lost beside the largest
    forward.add(MOST_NUMBER), forward.add(-MOST_NUMBER);
    forward.carry();
    CHECK(forward.limb[0] == 1 && std::all_of(forward.limb + 1, forward.limb + ExactSum::LIMBS, [](std::int64_t l) { return l == 0; }));
}

TEST(draws_below_a_bound) {
    Draws draws(2);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = i == 0   ? 0
                                   : i == 1 ? ~std::uint64_t{0}
                                            : draws.bits(),
                            n = i % 7 ? draws.bits() >> draws.below(64) : ~std::uint64_t{0};
        __extension__ using Wide = unsigned __int128;
        CHECK(rng::below(bits, n) == static_cast<std::uint64_t>(static_cast<Wide>(bits) * n >> 64));
    }
}

TEST(draws_stay_inside_their_intervals) {
    Draws draws(3);
    const std::uint64_t all = ~std::uint64_t{0};
    CHECK(rng::uniform<double>(0) == 0 && rng::uniform<float>(0) == 0 && rng::uniform<double>(all) < 1 && rng::uniform<float>(all) < 1);
    CHECK(rng::open_uniform(0) > 0 && rng::open_uniform(all) < 1 && std::isfinite(rng::normal(0)) && std::isfinite(rng::normal(all)));
    CHECK(std::isfinite(rng::exponential(0)) && rng::exponential(all) > 0);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t bits = draws.bits();
        CHECK(rng::open_uniform(bits) + rng::open_uniform(~bits) == 1);  // symmetric about one half
        CHECK(rng::normal(bits) == -rng::normal(~bits));
        CHECK(static_cast<double>(rng::uniform<float>(bits)) <= rng::uniform<double>(bits));
    }
}

TEST(indices_inside) {
    for (std::size_t count : {0, 1, 7, 64, 1000})
        for (std::size_t wrong = 0; wrong <= count; wrong += std::max<std::size_t>(1, count / 5)) {
            std::vector<std::int32_t> brief(count, 4);
            std::vector<std::int64_t> wide(count, 4);
            CHECK(inside(brief.data(), count, 5) && inside(wide.data(), count, 5));
            if (wrong == count) continue;
            for (std::int64_t bad :
                 {std::int64_t{-1}, std::int64_t{5}, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
                wide[wrong] = bad;
                CHECK(!inside(wide.data(), count, 5));
            }
            for (std::int32_t bad : {-1, 5, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
                brief[wrong] = bad;
                CHECK(!inside(brief.data(), count, 5));
            }
        }
    const std::int32_t zero = 0;
    CHECK(!inside(&zero, 1, 0));
}

TEST(finite_blocks) {
    for (std::size_t count : {0, 1, 5, 16, 333}) {
        std::vector<double> x(count, MOST_NUMBER);  // their sum overflows, and still all are finite
        CHECK(all_finite(std::span<const double>(x)));
        for (std::size_t at = 0; at < count; at += 3)
            for (double bad : {NOT_A_NUMBER, INF, -INF}) {
                auto y = x;
                y[at] = bad;
                CHECK(!all_finite(std::span<const double>(y)));
            }
    }
}

namespace {

/// The slope against a difference quotient, away from kinks.
template <class Loss>
void check_slope(const Loss& loss, const std::vector<double>& targets) {
    const double h = 1e-6;
    for (double y : targets)
        for (double f = -5.03; f < 5; f += 0.1) {
            const double left = (loss.value(f, y) - loss.value(f - h, y)) / h, right = (loss.value(f + h, y) - loss.value(f, y)) / h;
            if (std::fabs(left - right) > 1e-4) continue;  // a kink
            CHECK(std::fabs(loss.slope(f, y) - (left + right) / 2) < 1e-4);
            CHECK(loss.value(f, y) >= 0);
        }
}

}  // namespace

TEST(slopes_of_losses) {
    const std::vector<double> labels{-1, 1}, numbers{-2, 0, 0.7};
    for (double edge : {0.0, 1.0}) check_slope(sgd::Hinge{edge}, labels), check_slope(sgd::SquaredHinge{edge}, labels);
    check_slope(sgd::Sign{0}, labels);
    check_slope(sgd::Log{0}, labels);
    check_slope(sgd::ModifiedHuber{0}, labels);
    check_slope(sgd::Squared{0}, numbers);
    for (double edge : {0.1, 1.35}) {
        check_slope(sgd::Huber{edge}, numbers);
        check_slope(sgd::Insensitive{edge}, numbers);
        check_slope(sgd::SquaredInsensitive{edge}, numbers);
    }
    for (double f : {1e3, 1e300, INF}) {  // far away the logistic loss neither overflows nor turns into NaN
        CHECK(sgd::Log{0}.value(f, 1) == 0 && sgd::Log{0}.value(-f, 1) == f);
        CHECK(sgd::Log{0}.slope(f, 1) == 0 && sgd::Log{0}.slope(-f, 1) == -1);
    }
}
