// Activations of a block of units, in place, and their derivatives from what they returned. O(units).
//
//     forward   y = h(z);   backward   delta <- delta h'(z), where h' is read off y:                                        (1)
//     sigmoid y (1 - y)   tanh 1 - y^2   relu [y > 0]   elu y > 0 ? 1 : y + alpha   softplus 1 - e^-y   softmax y (delta - delta.y)
//
// The derivative of gelu cannot be read off y: the forward pass leaves it beside y.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::neural_network {

enum class Activation : int { Identity, Sigmoid, Tanh, Relu, Leaky, Elu, Selu, Softplus, Gelu, Softmax };

/// An activation with its parameter: the slope of a leaky rectifier, the depth of an exponential one.
struct Function {
    Activation kind = Activation::Identity;
    double parameter = 0;
};

/// A block of units: rows of `pitch` numbers of which `columns` count.
template <class Real>
struct Units {
    Real* y;
    std::size_t rows, columns, pitch;
    Real* aside;  // the derivatives of gelu, else not looked at
};

/// (1), forward: z becomes y.
template <class Real>
void activate(const Function& h, const Units<Real>& units);

/// (1), backward: delta with regard to y becomes delta with regard to z.
template <class Real>
void pull_back(const Function& h, const Units<Real>& units, Real* delta);

/// y <- e^(z - max z) over its sum, row by row; returns nothing of the scale of z.
template <class Real>
void softmax_rows(const Units<Real>& units);

/// Which units of a row of a batch are kept, times 1 / (1 - share): `mask` gets 0 or that factor and y its product with it.
struct Dropping {
    double share;
    std::uint64_t seed;
    std::uint32_t layer, step;
};
template <class Real>
void drop(const Dropping& how, const Units<Real>& units, std::size_t first_row, Real* mask);

/// delta <- delta h'(z) times the mask, where units were dropped after h.
template <class Real>
void pull_back_dropped(const Function& h, const Units<Real>& units, const Real* mask, Real* delta);

}  // namespace novum::neural_network
