#include <algorithm>

#include "novum/neural_network/perceptron.h"

namespace novum::neural_network {

namespace {

constexpr double WORTH_SHARING = 4e6;  // multiplications of a batch, forward and back: less is done before a helper has begun
constexpr std::size_t PARTS = 8, FEWEST_ROWS = 16, MOST_ROWS = 64;  // blocks of a batch, if their rows stay within these bounds
constexpr std::size_t COLUMN_STRIP = 64;                            // columns whose moments are one item of a job

}  // namespace

template <class Real>
std::size_t Perceptron<Real>::block_rows(std::size_t count) const {
    return std::clamp(up_to((count + PARTS - 1) / PARTS, TILE), FEWEST_ROWS, MOST_ROWS);
}

template <class Real>
Team& Perceptron<Real>::team(std::size_t rows) {
    if (plan.threads == 1 || 3.0 * static_cast<double>(largest) * static_cast<double>(rows) < WORTH_SHARING) return *alone;
    if (!several) several = std::make_unique<Team>(plan.threads);
    return *several;
}

template <class Real>
Moments<Real> Perceptron<Real>::moments(const Layer& x) const {
    return {x.mean.data(),      x.inverse.data(),   x.scale.data(),        x.shift.data(),
            x.scale_sum.data(), x.shift_sum.data(), x.running_mean.data(), x.running_variance.data()};
}

template <class Real>
Units<Real> Perceptron<Real>::units(const Layer& x, std::size_t row, std::size_t rows) const {
    return {x.units.data() + row * x.pitch, rows, x.shape.out, x.pitch, x.aside.size() ? x.aside.data() + row * x.pitch : nullptr};
}

/// Memory for the rows of a batch, where they are dense.
template <class Real>
void Perceptron<Real>::make_room(const Inputs<Real>& inputs) {
    if (inputs.dense && !input.size()) input = Aligned<Real>(up_to(plan.batch, TILE) * input_pitch);
}

/// Copy dense rows of a batch side by side.
template <class Real>
void Perceptron<Real>::gather(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t first, std::size_t rows) {
    if (!inputs.dense) return;
    const std::size_t d = plan.units[0];
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(inputs.dense + static_cast<std::size_t>(row[r]) * d, d, input.data() + (first + r) * input_pitch);
}

/// h_{l-1} W_l + b_l; without b_l where normalization follows.
template <class Real>
void Perceptron<Real>::sums(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t l, std::size_t first, std::size_t rows) {
    const Layer& layer = layers[l];
    const Real* start = plan.normalize && hidden(l) ? nullptr : layer.shift.data();
    Real* out = layer.units.data() + first * layer.pitch;
    if (l == 0 && !inputs.dense) {
        multiply_compressed(inputs.compressed, row, rows, layer.weights.data(), layer.shape.rows, layer.shape.columns, start, out,
                            layer.pitch);
        return;
    }
    const std::size_t pitch = l ? layers[l - 1].pitch : input_pitch;
    const Real* in = (l ? layers[l - 1].units.data() : input.data()) + first * pitch;
    multiply(in, pitch, up_to(rows, TILE), layer.shape.in, layer.weights.data(), layer.shape.rows, layer.shape.columns, start, out,
             layer.pitch);
}

/// f of the sums of a hidden layer, after (3) of normalization for new rows; in training units are dropped.
template <class Real>
void Perceptron<Real>::lift(std::size_t l, std::size_t first, std::size_t rows, bool training) {
    const Layer& layer = layers[l];
    const Units<Real> block = units(layer, first, rows);
    if (plan.normalize && !training) normalize_new(Sheet<Real>{block.y, nullptr, rows, layer.pitch}, layer.shape.out, moments(layer));
    activate(plan.hidden, block);
    if (training && plan.dropout > 0)
        drop({plan.dropout, plan.seed, static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(done)}, block, first,
             layer.mask.data() + first * layer.pitch);
}

/// p, the loss of the block, and delta_L.
template <class Real>
double Perceptron<Real>::finish(const Targets<Real>& targets, const std::int64_t* row, std::size_t first, std::size_t rows) {
    const Layer& last = layers.back();
    Real* p = last.units.data() + first * last.pitch;
    apply_output(plan.output, p, rows, last.shape.out, last.pitch);
    return output_error(plan.output, p, rows, last.shape.out, last.pitch, targets, row, last.delta.data() + first * last.pitch);
}

/// delta_{l+1} W_{l+1}' for layer l.
template <class Real>
void Perceptron<Real>::carry_back(std::size_t l, std::size_t first, std::size_t rows) {
    const Layer &layer = layers[l], &above = layers[l + 1];
    multiply(above.delta.data() + first * above.pitch, above.pitch, up_to(rows, TILE), above.shape.out, above.back.data(),
             above.shape.back_rows, above.shape.back, static_cast<const Real*>(nullptr), layer.delta.data() + first * layer.pitch,
             layer.pitch);
}

/// Times f' of layer l.
template <class Real>
void Perceptron<Real>::carry_through(std::size_t l, std::size_t first, std::size_t rows) {
    const Layer& layer = layers[l];
    Real* delta = layer.delta.data() + first * layer.pitch;
    if (plan.dropout > 0)
        pull_back_dropped(plan.hidden, units(layer, first, rows), layer.mask.data() + first * layer.pitch, delta);
    else
        pull_back(plan.hidden, units(layer, first, rows), delta);
}

/// Forward and back for a batch; returns the sum of weight times loss.
template <class Real>
double Perceptron<Real>::pass(const Inputs<Real>& inputs, const Targets<Real>& targets, const std::int64_t* row, std::size_t count) {
    const std::size_t block = block_rows(count), blocks = (count + block - 1) / block;
    losses.assign(blocks, 0.0);
    make_room(inputs);
    if (!inputs.dense) turn(inputs, row, count);
    Team& crew = team(count);
    const auto over_rows = [&](auto&& job) {
        crew.run(static_cast<std::uint32_t>(blocks),
                 [&](std::uint32_t item, int) { job(item, item * block, std::min(block, count - item * block)); });
    };
    const auto over_columns = [&](const Layer& layer, auto&& job) {
        const std::size_t wide = layer.shape.out, strips = (wide + COLUMN_STRIP - 1) / COLUMN_STRIP;
        crew.run(static_cast<std::uint32_t>(strips),
                 [&](std::uint32_t item, int) { job(item * COLUMN_STRIP, std::min(wide, (item + 1) * COLUMN_STRIP)); });
    };
    if (!plan.normalize) {
        over_rows([&](std::size_t item, std::size_t first, std::size_t rows) {
            gather(inputs, row + first, first, rows);
            for (std::size_t l = 0; l < layers.size(); ++l) {
                sums(inputs, row + first, l, first, rows);
                if (hidden(l)) lift(l, first, rows, true);
            }
            losses[item] = finish(targets, row + first, first, rows);
            for (std::size_t l = layers.size() - 1; l-- > 0;) {
                carry_back(l, first, rows);
                carry_through(l, first, rows);
            }
        });
    } else {  // every layer waits for the moments of all rows
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const Layer& layer = layers[l];
            over_rows([&](std::size_t item, std::size_t first, std::size_t rows) {
                if (l == 0) gather(inputs, row + first, first, rows);
                sums(inputs, row + first, l, first, rows);
                if (!hidden(l)) losses[item] = finish(targets, row + first, first, rows);
            });
            if (!hidden(l)) continue;
            const Sheet<Real> all{layer.units.data(), layer.normalized.data(), count, layer.pitch};
            over_columns(layer, [&](std::size_t begin, std::size_t end) { column_moments(all, begin, end, moments(layer)); });
            over_rows([&](std::size_t, std::size_t first, std::size_t rows) {
                normalize(Sheet<Real>{all.z + first * layer.pitch, all.x + first * layer.pitch, rows, layer.pitch}, layer.shape.out,
                          moments(layer));
                lift(l, first, rows, true);
            });
        }
        for (std::size_t l = layers.size() - 1; l-- > 0;) {
            const Layer& layer = layers[l];
            over_rows([&](std::size_t, std::size_t first, std::size_t rows) {
                carry_back(l, first, rows);
                carry_through(l, first, rows);
            });
            const Sheet<Real> all{layer.delta.data(), layer.normalized.data(), count, layer.pitch};
            over_columns(layer, [&](std::size_t begin, std::size_t end) { column_errors(all, begin, end, moments(layer)); });
            over_rows([&](std::size_t, std::size_t first, std::size_t rows) {
                pull_back_normalized(Sheet<Real>{all.z + first * layer.pitch, all.x + first * layer.pitch, rows, layer.pitch},
                                     layer.shape.out, count, moments(layer));
            });
        }
    }
    double loss = 0;
    for (double part : losses) loss += part;
    return loss;
}

/// Entries of compressed rows of a batch, column by column.
template <class Real>
void Perceptron<Real>::turn(const Inputs<Real>& inputs, const std::int64_t* row, std::size_t count) {
    const Compressed<Real>& x = inputs.compressed;
    columns.start.assign(plan.units[0] + 1, 0);
    std::size_t entries = 0;
    for (std::size_t r = 0; r < count; ++r)
        for (std::int64_t e = x.start[row[r]]; e < x.start[row[r] + 1]; ++e, ++entries)
            ++columns.start[static_cast<std::size_t>(x.column[e]) + 1];
    for (std::size_t c = 0; c < plan.units[0]; ++c) columns.start[c + 1] += columns.start[c];
    columns.row.resize(entries);
    columns.value.resize(entries);
    for (std::size_t r = 0; r < count; ++r)
        for (std::int64_t e = x.start[row[r]]; e < x.start[row[r] + 1]; ++e) {
            const std::size_t to = static_cast<std::size_t>(columns.start[static_cast<std::size_t>(x.column[e])]++);
            columns.row[to] = static_cast<std::int32_t>(r);
            columns.value[to] = x.value[e];
        }
    for (std::size_t c = plan.units[0]; c > 0; --c) columns.start[c] = columns.start[c - 1];  // each had moved to the next column's
    columns.start[0] = 0;
}

/// Gradients of a batch that has passed, and updates; or, to `accumulate`, gradients alone.
template <class Real>
void Perceptron<Real>::learn(const Step& step, const Inputs<Real>& inputs, std::size_t count, bool accumulate) {
    std::fill(norms.begin(), norms.end(), 0.0);
    team(count).run(static_cast<std::uint32_t>(items.size()), [&](std::uint32_t number, int worker) {
        const Item& item = items[number];
        Layer& layer = layers[item.layer];
        const bool below = item.layer > 0, own_shift = !(plan.normalize && hidden(item.layer));
        LayerTask<Real> task{&layer.shape,
                             below ? layers[item.layer - 1].units.data() : input.data(),
                             below ? layers[item.layer - 1].pitch : input_pitch,
                             below || inputs.dense ? nullptr : &columns,
                             layer.delta.data(),
                             layer.pitch,
                             count,
                             {layer.weights.data(), layer.first.data(), layer.second.data()},
                             {},
                             layer.back.size() ? layer.back.data() : nullptr,
                             accumulate ? layer.gradient.data() : nullptr,
                             accumulate ? layer.shift_gradient.data() : nullptr};
        if (own_shift && !accumulate) task.shift = {layer.shift.data(), layer.shift_first.data(), layer.shift_second.data()};
        change(task, step, item.panel, item.begin, item.end, scratch[static_cast<std::size_t>(worker)].data(), norms.data() + 2 * number);
    });
    if (accumulate) return;
    for (std::size_t l = 0; plan.normalize && hidden(l); ++l) {
        Layer& x = layers[l];
        update(step, false, x.shift_sum.data(), x.shape.out, Learned<Real>{x.shift.data(), x.shift_first.data(), x.shift_second.data()});
        update(step, false, x.scale_sum.data(), x.shape.out, Learned<Real>{x.scale.data(), x.scale_first.data(), x.scale_second.data()});
    }
    squares = sizes = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        squares += norms[2 * i];
        sizes += norms[2 * i + 1];
    }
}

template class Perceptron<float>;
template class Perceptron<double>;

}  // namespace novum::neural_network
