// Sums of kernels over a search tree. A kernel without an end is cut where what is left cannot change the sum by a rounding error.
#include <cmath>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/vector_math.h"
#include "novum/search/walk.h"

namespace novum::neighbors {

namespace {

constexpr double HALF_PI = 1.5707963267948966;

template <Norm N, int D, bool BALL>
struct Sum {
    // Least reduced distance from q to a row other than `skip`.
    template <int BYTES>
    static NOVUM_INLINE double least(const Tree& tree, const double* q, std::size_t home, std::int64_t skip, Top& top) {
        top.clear();
        auto look = [&](std::size_t leaf) NOVUM_LAMBDA {
            const double* packed = tree.packed + leaf * tree.capacity * tree.d;
            for (std::size_t v = 0; v < tree.capacity; v += Simd<double, BYTES>::LANES)
                offer_lanes<BYTES>(lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p),
                                   tree.index + leaf * tree.capacity + v, skip, top);
        };
        look(home);
        walk<N, D, BALL>(tree, q, [&]() NOVUM_LAMBDA { return top.worst(); }, look);
        return top.worst();
    }

    // K of a reduced distance s, times e^(unit).
    static NOVUM_INLINE double value(double s, const Smoother& by, double p, double unit) {
        const double r = finish<N>(s, p) / by.width;
        switch (by.kernel) {
            case Kernel::gaussian: return std::exp(unit - r * r / 2);
            case Kernel::exponential: return std::exp(unit - r);
            case Kernel::tophat: return r < 1 ? 1 : 0;
            case Kernel::epanechnikov: return r < 1 ? 1 - r * r : 0;
            case Kernel::linear: return r < 1 ? 1 - r : 0;
            case Kernel::cosine: return r < 1 ? std::cos(HALF_PI * r) : 0;
        }
        return 0;
    }

    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, Table<double> x, const std::int64_t* skip, const Smoother& by, double* sum,
                                double* log_unit, double* target_sum) {
        using S = Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        const bool endless = by.kernel == Kernel::gaussian || by.kernel == Kernel::exponential;
        Top top(1);
        interrupt::Poller<16> poller;
        for (const auto& [home, i] : by_leaf(tree, x)) {
            poller.tick();
            const double* q = x.row(i);
            const std::int64_t not_this = skip ? skip[i] : -1;
            double unit = 0, most = roomy(reduce<N>(by.width, tree.p));
            if (endless) {
                const double nearest = finish<N>(least<BYTES>(tree, q, home, not_this, top), tree.p);
                const double r = nearest / by.width;
                unit = by.kernel == Kernel::gaussian ? r * r / 2 : r;
                const double last = by.kernel == Kernel::gaussian ? std::sqrt(2 * (unit + by.tail)) : unit + by.tail;
                most = reduce<N>(last * by.width, tree.p);
            }
            double total = 0;
            double* targets = target_sum ? target_sum + i * by.m : nullptr;
            for (std::size_t o = 0; targets && o < by.m; ++o) targets[o] = 0;
            typename S::V sums{};
            walk<N, D, BALL>(
                tree, q, [&]() NOVUM_LAMBDA { return most; },
                [&](std::size_t leaf) NOVUM_LAMBDA {
                    const double* packed = tree.packed + leaf * tree.capacity * tree.d;
                    for (std::size_t v = 0; v < tree.capacity; v += L) {
                        const std::size_t place = leaf * tree.capacity + v;
                        const auto s = lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p);
                        typename S::V term{};
                        if (N == Norm::two && by.kernel == Kernel::gaussian) {
                            const double half = -0.5 / (by.width * by.width);
                            auto exponent = s * half + unit;
                            term =
                                exp_nonpositive<BYTES>(exponent > 0 ? typename S::V{} : exponent);  // rounding may pass zero at the nearest
                        } else {
                            double lane[L];
                            for (std::size_t l = 0; l < L; ++l) lane[l] = s[l] <= most ? value(s[l], by, tree.p, unit) : 0;
                            term = S::load(lane);
                        }
                        if (not_this >= 0)
                            for (std::size_t l = 0; l < L; ++l) term[l] = tree.index[place + l] == not_this ? 0 : term[l];
                        if (by.weight) term *= S::load(by.weight + place);
                        sums += term;
                        for (std::size_t l = 0; targets && l < L; ++l)
                            if (term[l] != 0)
                                for (std::size_t o = 0; o < by.m; ++o) targets[o] += term[l] * by.target[(place + l) * by.m + o];
                    }
                });
            total += panel::total<static_cast<int>(L)>(sums);
            sum[i] = total;
            log_unit[i] = -unit;
        }
        return 0;
    }
};

}  // namespace

void kernel_sums(const Tree& tree, Table<double> x, const std::int64_t* skip, const Smoother& by, double* sum, double* log_unit,
                 double* target_sum) {
    dispatch<Sum>(tree, x, skip, by, sum, log_unit, target_sum);
}

}  // namespace novum::neighbors
