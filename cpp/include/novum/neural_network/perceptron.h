// A multilayer perceptron in training: mini-batches forward and back, weights kept in the layout that products read.
//
//     h_0 = x,   h_l = f(h_{l-1} W_l + b_l),   p = g(h_{L-1} W_L + b_L)                                                 (1)
//     delta_L = weight (p - y),   delta_l = (delta_{l+1} W_{l+1}') f'(h_l),   dW_l = h_{l-1}' delta_l                   (2)
//
// A batch takes two passes over the team: blocks of rows go forward and back through all layers, then tiles of weights get their
// gradient and their update. Blocks and tiles do not depend on the number of threads, so neither does the result. O(weights) a row.
#pragma once
#include <memory>
#include <span>

#include "novum/neural_network/activations.h"
#include "novum/neural_network/normalization.h"
#include "novum/neural_network/outputs.h"
#include "novum/neural_network/products.h"
#include "novum/neural_network/updates.h"
#include "novum/runtime/team.h"

namespace novum::neural_network {

struct Plan {
    std::vector<std::size_t> units;  // of all layers, input and output included
    Function hidden;
    Output output = Output::Linear;
    Step step;  // rate and rows are set batch by batch
    double dropout = 0;
    bool normalize = false;
    std::uint64_t seed = 0;
    std::size_t batch = 1;
    int threads = 1;
    bool trains = true;  // without it there is no memory for errors and updates
};

/// Rows, dense or compressed.
template <class Real>
struct Inputs {
    const Real* dense = nullptr;
    Compressed<Real> compressed;
};

template <class Real>
class Perceptron {
  public:
    explicit Perceptron(Plan plan);

    /// Numbers that are learned: all W, all b, and with normalization the scale of every hidden layer.
    std::size_t size() const { return learned; }
    /// Running mean and variance of every hidden layer.
    std::size_t running_size() const { return 2 * hidden_units; }

    /// Take and give the state in plain order; `first` and `second` are what the rule remembers, of the size of theta or empty.
    void load(const Real* theta, const Real* first, const Real* second, const Real* running, std::uint64_t steps);
    void store(Real* theta, Real* first, Real* second, Real* running) const;
    std::uint64_t steps() const { return done; }

    /// Visit the rows of `order` in batches; returns the sum over batches of rows times loss. Polls for Ctrl-C between batches.
    double epoch(const Inputs<Real>& inputs, const Targets<Real>& targets, std::span<const std::int64_t> order, double rate);

    /// Loss of all rows 0 .. n - 1 without penalty times their weight; their gradient, summed, into `out` in plain order.
    double gradient(const Inputs<Real>& inputs, const Targets<Real>& targets, std::size_t n, Real* out);

    /// (1) for rows 0 .. n - 1 with all units in place, into out (n, outputs).
    void predict(const Inputs<Real>& inputs, std::size_t n, Real* out);

  private:
    struct Layer {
        Shape shape;
        Aligned<Real> weights, first, second, back, gradient;
        Aligned<Real> shift, shift_first, shift_second, shift_gradient;
        Aligned<Real> scale, scale_first, scale_second, mean, inverse, scale_sum, shift_sum, running_mean, running_variance;
        Aligned<Real> units, delta, aside, mask, normalized;  // (batch, pitch) of its output
        std::size_t pitch;
    };
    struct Item {
        std::size_t layer, panel, begin, end;
    };

    bool hidden(std::size_t l) const { return l + 1 < layers.size(); }
    std::size_t block_rows(std::size_t count) const;
    Moments<Real> moments(const Layer& layer) const;
    Units<Real> units(const Layer& layer, std::size_t row, std::size_t rows) const;
    void make_room(const Inputs<Real>& inputs);
    void gather(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t first, std::size_t rows);
    void sums(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t l, std::size_t first, std::size_t rows);
    void lift(std::size_t l, std::size_t first, std::size_t rows, bool training);
    double finish(const Targets<Real>& targets, const std::int64_t* row, std::size_t first, std::size_t rows);
    void carry_back(std::size_t l, std::size_t first, std::size_t rows);
    void carry_through(std::size_t l, std::size_t first, std::size_t rows);
    double pass(const Inputs<Real>& inputs, const Targets<Real>& targets, const std::int64_t* row, std::size_t count);
    void turn(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t count);
    void learn(const Step& step, const Inputs<Real>& inputs, std::size_t count, bool accumulate);
    Team& team(std::size_t rows);

    Plan plan;
    std::vector<Layer> layers;
    std::vector<Item> items;
    Aligned<Real> input;  // (batch, pitch)
    std::size_t input_pitch = 0, learned = 0, hidden_units = 0, largest = 0, lanes;
    std::uint64_t done = 0;
    double squares = 0, sizes = 0;  // of the weights now
    std::vector<double> losses, norms;
    std::vector<Aligned<Real>> scratch;
    ByColumn<Real> columns;
    std::unique_ptr<Team> alone, several;
};

}  // namespace novum::neural_network
