#include "novum/neural_network/perceptron.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::neural_network {

namespace {

constexpr std::size_t CHUNK = 128;  // rows of weights whose gradient is one item of a job

bool has_first(const Step& step) { return step.rule == Rule::Sgd || step.rule == Rule::Adam; }
bool has_second(const Step& step) { return step.rule != Rule::Sgd; }

}  // namespace

template <class Real>
Perceptron<Real>::Perceptron(Plan given) : plan(std::move(given)), lanes(static_cast<std::size_t>(simd_bytes()) / sizeof(Real)) {
    const std::size_t rows = up_to(plan.batch, TILE);
    const auto numbers = [](bool wanted, std::size_t n) { return wanted ? Aligned<Real>(n) : Aligned<Real>(); };
    input_pitch = pitch_of(Columns(plan.units[0], lanes).padded, lanes, sizeof(Real));
    for (std::size_t l = 0; l + 1 < plan.units.size(); ++l) {
        const std::size_t in = plan.units[l], out = plan.units[l + 1];
        const bool inner = l + 2 < plan.units.size(), norm = inner && plan.normalize, trains = plan.trains;
        Layer layer{Shape(in, out, lanes), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 0};
        const std::size_t all = layer.shape.size(), wide = layer.shape.columns.padded;
        layer.pitch = pitch_of(wide, lanes, sizeof(Real));
        layer.weights = Aligned<Real>(all);
        layer.shift = Aligned<Real>(wide);
        layer.first = numbers(trains && has_first(plan.step), all);
        layer.second = numbers(trains && has_second(plan.step), all);
        layer.shift_first = numbers(trains && has_first(plan.step), wide);
        layer.shift_second = numbers(trains && has_second(plan.step), wide);
        layer.back = numbers(trains && l > 0, layer.shape.back_size());
        for (Aligned<Real>* each : {&layer.scale, &layer.running_mean, &layer.running_variance}) *each = numbers(norm, wide);
        for (Aligned<Real>* each : {&layer.mean, &layer.inverse, &layer.scale_sum, &layer.shift_sum}) *each = numbers(norm && trains, wide);
        layer.scale_first = numbers(norm && trains && has_first(plan.step), wide);
        layer.scale_second = numbers(norm && trains && has_second(plan.step), wide);
        layer.units = Aligned<Real>(rows * layer.pitch);
        layer.delta = numbers(trains, rows * layer.pitch);
        layer.aside = numbers(inner && plan.hidden.kind == Activation::Gelu, rows * layer.pitch);
        layer.mask = numbers(trains && inner && plan.dropout > 0, rows * layer.pitch);
        layer.normalized = numbers(norm && trains, rows * layer.pitch);
        for (std::size_t p = 0; p < layer.shape.columns.panels.size(); ++p)
            for (std::size_t i = 0; i < layer.shape.rows; i += CHUNK) items.push_back({l, p, i, std::min(i + CHUNK, layer.shape.rows)});
        learned += in * out + out + (norm ? out : 0);
        hidden_units += norm ? out : 0;
        largest += in * out;
        layers.push_back(std::move(layer));
    }
    norms.resize(2 * items.size());
    alone = std::make_unique<Team>(1);
    if (plan.trains)
        for (int worker = 0; worker < plan.threads; ++worker) scratch.emplace_back((rows + CHUNK) * WIDEST * std::max(lanes, TILE));
}

template <class Real>
void Perceptron<Real>::load(const Real* theta, const Real* first, const Real* second, const Real* running, std::uint64_t steps) {
    const auto unpack = [&](const Real* from, auto of_weights, auto of_shift, auto of_scale) {
        for (Layer& layer : layers) {
            into_panels(from, layer.shape, of_weights(layer).data());
            from += layer.shape.in * layer.shape.out;
        }
        for (Layer& layer : layers) {
            std::copy_n(from, layer.shape.out, of_shift(layer).data());
            from += layer.shape.out;
        }
        for (std::size_t l = 0; plan.normalize && hidden(l); ++l) {
            std::copy_n(from, layers[l].shape.out, of_scale(layers[l]).data());
            from += layers[l].shape.out;
        }
    };
    unpack(
        theta, [](Layer& x) -> auto& { return x.weights; }, [](Layer& x) -> auto& { return x.shift; },
        [](Layer& x) -> auto& { return x.scale; });
    if (plan.trains && has_first(plan.step))
        unpack(
            first, [](Layer& x) -> auto& { return x.first; }, [](Layer& x) -> auto& { return x.shift_first; },
            [](Layer& x) -> auto& { return x.scale_first; });
    if (plan.trains && has_second(plan.step))
        unpack(
            second, [](Layer& x) -> auto& { return x.second; }, [](Layer& x) -> auto& { return x.shift_second; },
            [](Layer& x) -> auto& { return x.scale_second; });
    for (std::size_t l = 0; plan.normalize && hidden(l); ++l) {
        std::copy_n(running, layers[l].shape.out, layers[l].running_mean.data());
        std::copy_n(running + hidden_units, layers[l].shape.out, layers[l].running_variance.data());
        running += layers[l].shape.out;
    }
    squares = sizes = 0;
    for (Layer& layer : layers) {
        if (layer.back.size()) transpose_panels(layer.weights.data(), layer.shape, layer.back.data());
        if (plan.step.alpha > 0 || plan.step.l1 > 0)
            for (std::size_t i = 0; i < layer.weights.size(); ++i) {
                const double w = layer.weights[i];
                squares += w * w;
                sizes += std::abs(w);
            }
    }
    done = steps;
}

template <class Real>
void Perceptron<Real>::store(Real* theta, Real* first, Real* second, Real* running) const {
    const auto gather = [&](Real* to, auto of_weights, auto of_shift, auto of_scale) {
        for (const Layer& layer : layers) {
            out_of_panels(of_weights(layer).data(), layer.shape, to);
            to += layer.shape.in * layer.shape.out;
        }
        for (const Layer& layer : layers) to = std::copy_n(of_shift(layer).data(), layer.shape.out, to);
        for (std::size_t l = 0; plan.normalize && hidden(l); ++l) to = std::copy_n(of_scale(layers[l]).data(), layers[l].shape.out, to);
    };
    gather(
        theta, [](const Layer& x) -> auto& { return x.weights; }, [](const Layer& x) -> auto& { return x.shift; },
        [](const Layer& x) -> auto& { return x.scale; });
    if (has_first(plan.step))
        gather(
            first, [](const Layer& x) -> auto& { return x.first; }, [](const Layer& x) -> auto& { return x.shift_first; },
            [](const Layer& x) -> auto& { return x.scale_first; });
    if (has_second(plan.step))
        gather(
            second, [](const Layer& x) -> auto& { return x.second; }, [](const Layer& x) -> auto& { return x.shift_second; },
            [](const Layer& x) -> auto& { return x.scale_second; });
    for (std::size_t l = 0; plan.normalize && hidden(l); ++l) {
        std::copy_n(layers[l].running_mean.data(), layers[l].shape.out, running);
        std::copy_n(layers[l].running_variance.data(), layers[l].shape.out, running + hidden_units);
        running += layers[l].shape.out;
    }
}

template <class Real>
double Perceptron<Real>::epoch(const Inputs<Real>& inputs, const Targets<Real>& targets, std::span<const std::int64_t> order, double rate) {
    double total = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += plan.batch) {
        interrupt::poll();
        const std::size_t count = std::min(plan.batch, order.size() - begin);
        const std::int64_t* row = order.data() + begin;
        double rows = static_cast<double>(count);
        if (targets.weight) rows = std::accumulate(row, row + count, 0.0, [&](double s, std::int64_t i) { return s + targets.weight[i]; });
        const double loss = pass(inputs, targets, row, count);
        total += (loss + 0.5 * plan.step.alpha * squares + plan.step.l1 * sizes) / rows * static_cast<double>(count);
        Step step = plan.step;
        ++done;
        step.rows = rows;
        step.rate = rate;
        if (step.rule == Rule::Adam) {
            const double t = static_cast<double>(done);
            step.rate *= std::sqrt(1 - std::pow(step.beta_2, t)) / (1 - std::pow(step.beta_1, t));
        }
        learn(step, inputs, count, false);
    }
    return total;
}

template <class Real>
double Perceptron<Real>::gradient(const Inputs<Real>& inputs, const Targets<Real>& targets, std::size_t n, Real* out) {
    for (Layer& layer : layers) {
        layer.gradient = Aligned<Real>(layer.shape.size());
        layer.shift_gradient = Aligned<Real>(layer.shape.columns.padded);
    }
    std::vector<std::int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::int64_t(0));
    double loss = 0;
    for (std::size_t begin = 0; begin < n; begin += plan.batch) {
        interrupt::poll();
        const std::size_t count = std::min(plan.batch, n - begin);
        loss += pass(inputs, targets, rows.data() + begin, count);
        learn(plan.step, inputs, count, true);
    }
    for (const Layer& layer : layers) {
        out_of_panels(layer.gradient.data(), layer.shape, out);
        out += layer.shape.in * layer.shape.out;
    }
    for (const Layer& layer : layers) out = std::copy_n(layer.shift_gradient.data(), layer.shape.out, out);
    return loss;
}

template <class Real>
void Perceptron<Real>::predict(const Inputs<Real>& inputs, std::size_t n, Real* out) {
    const Layer& last = layers.back();
    std::vector<std::int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::int64_t(0));
    make_room(inputs);
    for (std::size_t begin = 0; begin < n; begin += plan.batch) {
        interrupt::poll();
        const std::size_t count = std::min(plan.batch, n - begin), block = block_rows(count);
        team(count).run(static_cast<std::uint32_t>((count + block - 1) / block), [&](std::uint32_t item, int) {
            const std::size_t first = item * block, some = std::min(block, count - first);
            const std::int64_t* row = rows.data() + begin + first;
            gather(inputs, row, first, some);
            for (std::size_t l = 0; l < layers.size(); ++l) {
                sums(inputs, row, l, first, some);
                if (hidden(l)) lift(l, first, some, false);
            }
            apply_output(plan.output, last.units.data() + first * last.pitch, some, last.shape.out, last.pitch);
            for (std::size_t r = 0; r < some; ++r)
                std::copy_n(last.units.data() + (first + r) * last.pitch, last.shape.out, out + (begin + first + r) * last.shape.out);
        });
    }
}

template class Perceptron<float>;
template class Perceptron<double>;

}  // namespace novum::neural_network
