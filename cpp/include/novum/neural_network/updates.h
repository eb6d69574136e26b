// From the errors of a batch to new weights: gradient and update of a tile at a time, while it is in the first-level cache.
//
//     g = (a' delta + alpha w) / s,    s the sum of the weights of the rows                                                  (1)
//     SGD      v <- mu v - eta g;                          w <- w + v,  Nesterov  w <- w + mu v - eta g                     (2)
//     AdaGrad  r <- r + g^2;                               w <- w - eta g / (sqrt r + eps)                                  (3)
//     RMSProp  r <- b2 r + (1 - b2) g^2;                   w <- w - eta g / (sqrt r + eps)                                  (4)
//     Adam     m <- b1 m + (1 - b1) g, r as in (4);        w <- w - eta_t m / (sqrt r + eps)                                (5)
//     1-norm   w <- sign(w) max(0, |w| - step l1 / s)      with the step that (2) to (5) take per unit of gradient          (6)
#pragma once
#include <cstdint>

#include "novum/neural_network/layout.h"

namespace novum::neural_network {

enum class Rule : int { Sgd, AdaGrad, RmsProp, Adam };

/// What is the same for all weights in one step.
struct Step {
    Rule rule = Rule::Sgd;
    double rate = 0, momentum = 0, beta_1 = 0, beta_2 = 0, epsilon = 0;  // of Adam the rate is eta_t
    bool nesterov = false;
    double alpha = 0, l1 = 0, rows = 1;  // `rows` is s of (1)
};

/// Numbers that are learned, and what their rule remembers.
template <class Real>
struct Learned {
    Real *w = nullptr, *first = nullptr, *second = nullptr;
    Learned at(std::size_t i) const { return {w + i, first ? first + i : nullptr, second ? second + i : nullptr}; }
};

/// (1) to (6) for n numbers with g = a' delta in `gradient`, which is used up; `alpha` and `l1` count where `penalized`.
template <class Real>
void update(const Step& step, bool penalized, Real* gradient, std::size_t n, const Learned<Real>& learned);

/// Entries of the rows of a batch, column by column.
template <class Real>
struct ByColumn {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> row;
    std::vector<Real> value;
};

/// What the gradient of one layer is made of and where it goes.
template <class Real>
struct LayerTask {
    const Shape* shape;
    const Real* input;  // (count, pitch), or null: `entries`
    std::size_t input_pitch;
    const ByColumn<Real>* entries;
    const Real* delta;  // (count, pitch)
    std::size_t delta_pitch, count;
    Learned<Real> weights, shift;     // a shift without numbers is updated elsewhere
    Real* back;                       // panels of the transpose, kept in step; null: none
    Real *gradient, *shift_gradient;  // not null: add a' delta there, and change no weight
};

/// Gradient and update of rows [begin, end) of one panel of a layer; the first rows bring the shift along. `scratch` holds
/// (count + end - begin) x panel width numbers. Returns sum w^2 and sum |w| of the new weights where they are penalized.
template <class Real>
void change(const LayerTask<Real>& task, const Step& step, std::size_t panel, std::size_t begin, std::size_t end, Real* scratch,
            double* norms);

}  // namespace novum::neural_network
