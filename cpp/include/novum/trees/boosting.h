// Gradients and curvatures of the losses that boosting descends, row by row, for a target t, a raw score f and a weight w:
//
//     squared       f - t,                 1                (f - t)^2 / 2                                   (1)
//     absolute      sign(f - t),           1                |f - t|                                         (2)
//     quantile      [f > t] - level,       1                max(level (t - f), (1 - level) (f - t))         (3)
//     Huber         f - t cut to +-delta,  1                as in novum.losses                              (4)
//     Poisson       e^f - t,               e^f              e^f - t f                                       (5)
//     gamma         1 - t e^-f,            t e^-f           t e^-f + f                                      (6)
//     two classes   s - t,                 s (1 - s)        log(1 + e^-|f|) + ...,  s = 1 / (1 + e^-f)      (7)
//     k classes     p_k - [t = k],         p_k (1 - p_k)    -log p_t,  p = softmax(f)                       (8)
//
// (2), (3): a curvature of one makes the step a plain gradient step, leaves are fitted afterwards. (4): one bounds the curvature from
// above, so no step overshoots. Then fixed point, with a unit 2^e such that the largest w |g| is at most 2^30 units:
//
//     g -> round(w g / unit);  w round(g / unit) for whole weights, which then equal repeated rows to the last bit of a sum      (9)
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/moments/exact_sums.h"
#include "novum/trees/histograms.h"

namespace novum::boosting {

enum class Loss : int { SQUARED, ABSOLUTE, QUANTILE, HUBER, POISSON, GAMMA, BINARY };

struct Rows {
    const double *target, *raw, *weight;  // weight may be null
    std::size_t n;
};

/// Gradient and curvature before they are rounded; shares its memory with the rounded pair.
struct Slopes {
    float gradient, curvature;
};
static_assert(sizeof(Slopes) == sizeof(histograms::Pair));

struct Largest {
    double gradient = 0, curvature = 0;
};

/// Write the slopes of every row, without its weight; return the largest of each in size. `parameter`: level of (3), delta of (4).
Largest slopes(Loss loss, double parameter, const Rows& rows, Slopes* out);

/// (8) for class `k`: `probability` holds softmax of the row's scores for that class.
Largest class_slopes(const double* probability, const double* target, double k, std::size_t n, Slopes* out);

/// Softmax over classes; raw and out hold a run of n per class, `stride` apart.
void softmax(const double* raw, std::size_t classes, std::size_t n, std::size_t stride, double* out);

/// The unit of (9).
double unit_of(double largest);

/// (9); out may be the memory of the slopes, weight null.
void round(const Slopes* slopes, const double* weight, bool integral, std::size_t n, double gradient_unit, double curvature_unit,
           histograms::Pair* out);

/// Add w loss of all rows, without rounding.
void total(Loss loss, double parameter, const Rows& rows, ExactSum& sum);
void class_total(const double* raw, std::size_t classes, std::size_t n, std::size_t stride, const double* target, const double* weight,
                 ExactSum& sum);

}  // namespace novum::boosting
