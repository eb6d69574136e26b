// The last layer: its activation, the loss of a block of rows, and the error that is carried back.
//
//     delta = weight (p - y)   for softmax and logistic outputs with log loss, linear ones with squared error, exp with Poisson's   (1)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::neural_network {

enum class Output : int { Linear, Logistic, Softmax, Exponential };

/// What the rows should give: a class each (softmax), or `columns` numbers each.
template <class Real>
struct Targets {
    const std::int64_t* code = nullptr;
    const Real* value = nullptr;
    const double* weight = nullptr;
};

/// z becomes p, in place.
template <class Real>
void apply_output(Output output, Real* z, std::size_t rows, std::size_t columns, std::size_t pitch);

/// Of rows `row[0 .. rows)`: p stays, delta gets (1), zero in the padding. Returns the sum of weight times loss.
template <class Real>
double output_error(Output output, const Real* p, std::size_t rows, std::size_t columns, std::size_t pitch, const Targets<Real>& targets,
                    const std::int64_t* row, Real* delta);

}  // namespace novum::neural_network
