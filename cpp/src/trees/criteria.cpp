#include "novum/trees/criteria.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "novum/trees/columns.h"

namespace novum::tree {

namespace {

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

/// The weighted median of values in rising order: between two of them where half of the weight lies on either side.
double weighted_median(const std::vector<std::pair<double, double>>& value) {
    double total = 0;
    for (const auto& [y, w] : value) total += w;
    double below = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        below += value[i].second;
        if (2 * below == total && i + 1 < value.size()) return 0.5 * (value[i].first + value[i + 1].first);
        if (2 * below > total) return value[i].first;
    }
    return value.back().first;
}

Summary summarize_classes(const Target& target, const std::uint32_t* row, std::size_t m, double* sums) {
    Summary out;
    const std::size_t outputs = target.outputs, stride = target.stride;
    std::fill(sums, sums + target.sums(), 0.0);
    if (!target.binary.empty() && !target.weight) {
        std::size_t ones = 0;
        for (std::size_t i = 0; i < m; ++i) ones += target.binary[row[i]];
        sums[0] = static_cast<double>(m - ones);
        if (target.classes[0] > 1) sums[1] = static_cast<double>(ones);
        out.weight = static_cast<double>(m);
    } else {
        for (std::size_t i = 0; i < m; ++i) {
            const double w = target.weight_of(row[i]);
            out.weight += w;
            for (std::size_t o = 0; o < outputs; ++o) sums[o * stride + static_cast<std::size_t>(target.code[row[i] * outputs + o])] += w;
        }
    }
    for (std::size_t o = 0; o < outputs; ++o) {
        const double* s = sums + o * stride;
        double part = 0;
        std::size_t present = 0;
        for (std::size_t k = 0; k < target.classes[o]; ++k) {
            const double p = s[k] / out.weight;
            present += s[k] > 0;
            if (target.criterion == Criterion::Gini)
                part += p * p;
            else if (p > 0)
                part -= p * std::log2(p);
        }
        out.impurity += target.criterion == Criterion::Gini ? 1.0 - part : part;
        out.pure = out.pure && present <= 1;
    }
    out.impurity /= static_cast<double>(outputs);
    out.pure = out.pure || out.impurity <= std::numeric_limits<double>::epsilon();  // of other classes there is but rounding
    return out;
}

Summary summarize_numbers(const Target& target, const std::uint32_t* row, std::size_t m, double* sums) {
    Summary out;
    const std::size_t outputs = target.outputs;
    for (std::size_t i = 0; i < m; ++i) out.weight += target.weight_of(row[i]);
    for (std::size_t o = 0; o < outputs; ++o) {
        const double first = target.y[row[0] * outputs + o];
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i) {
            const double y = target.y[row[i] * outputs + o];
            sum += target.weight_of(row[i]) * y;
            out.pure = out.pure && y == first;
        }
        sums[o] = sum;
        const double mean = sum / out.weight;
        double part = 0;
        for (std::size_t i = 0; i < m; ++i) {
            const double y = target.y[row[i] * outputs + o], w = target.weight_of(row[i]);
            if (target.criterion == Criterion::Poisson)
                part += w * ((y > 0 ? y * std::log(y / mean) : 0.0) - y + mean);
            else
                part += w * (y - mean) * (y - mean);
        }
        out.impurity += part / out.weight;
    }
    out.impurity = out.pure ? 0.0 : std::max(0.0, out.impurity / static_cast<double>(outputs));
    return out;
}

Summary summarize_medians(const Target& target, const std::uint32_t* row, std::size_t m, double* sums) {
    Summary out;
    const std::size_t outputs = target.outputs;
    std::vector<std::pair<double, double>> value(m);
    for (std::size_t i = 0; i < m; ++i) out.weight += target.weight_of(row[i]);
    for (std::size_t o = 0; o < outputs; ++o) {
        for (std::size_t i = 0; i < m; ++i) value[i] = {target.y[row[i] * outputs + o], target.weight_of(row[i])};
        std::sort(value.begin(), value.end());
        out.pure = out.pure && value.front().first == value.back().first;
        const double median = weighted_median(value);
        sums[o] = median;
        for (const auto& [y, w] : value) out.impurity += w * std::fabs(y - median) / out.weight;
    }
    out.impurity /= static_cast<double>(outputs);
    return out;
}

}  // namespace

double Target::x_log_x(double w) const {
    if (!log_table.empty()) return log_table[static_cast<std::size_t>(w)];
    return tree::x_log_x(w);
}

void Target::prepare() {
    if (classification()) {
        if (outputs == 1 && classes[0] <= 2 && criterion == Criterion::Gini) {
            binary.resize(rows);
            for (std::size_t i = 0; i < rows; ++i) binary[i] = code[i] == 1;
            if (weight) pairs.resize(2 * rows);
            for (std::size_t i = 0; weight && i < rows; ++i) {
                pairs[2 * i] = weight[i];
                pairs[2 * i + 1] = binary[i] ? weight[i] : 0.0;
            }
        }
        if (criterion == Criterion::Entropy && !weight) {
            log_table.resize(rows + 1);
            for (std::size_t i = 0; i <= rows; ++i) log_table[i] = tree::x_log_x(static_cast<double>(i));
        }
        return;
    }
    if (criterion == Criterion::Absolute) {
        y_rank.resize(outputs * rows);
        std::vector<std::uint32_t> index(rows);
        for (std::size_t o = 0; o < outputs; ++o) {
            std::iota(index.begin(), index.end(), 0u);
            std::sort(index.begin(), index.end(), [&](auto a, auto b) {
                const double u = y[a * outputs + o], v = y[b * outputs + o];
                return u < v || (u == v && a < b);
            });
            for (std::size_t p = 0; p < rows; ++p) y_rank[o * rows + index[p]] = static_cast<std::uint32_t>(p);
        }
    }
}

Summary summarize(const Target& target, const std::uint32_t* row, std::size_t m, double* sums, Scratch&) {
    if (target.classification()) return summarize_classes(target, row, m, sums);
    return target.criterion == Criterion::Absolute ? summarize_medians(target, row, m, sums) : summarize_numbers(target, row, m, sums);
}

double margin_of(const Target& target, const Summary& summary, const double* sums) {
    constexpr double relative = 1e-12;  // thousands of roundings
    const double w = summary.weight, outputs = static_cast<double>(target.outputs);
    switch (target.criterion) {
        case Criterion::Gini: return relative * (target.binary.empty() ? w * outputs : w * w * summary.impurity);
        case Criterion::Entropy: return relative * outputs * w * (1 + std::fabs(std::log(w)));
        case Criterion::Squared: return relative * outputs * w * w * summary.impurity;
        case Criterion::Absolute: return relative * outputs * w * summary.impurity;
        default: {
            double scale = outputs * summary.impurity;
            for (std::size_t o = 0; o < target.outputs; ++o) scale += std::fabs(sums[o] / w) * (1 + std::fabs(std::log(sums[o] / w)));
            return relative * w * scale;
        }
    }
}

void prepare_node(const Target& target, const std::uint32_t* row, std::size_t m, std::vector<std::uint32_t>& local_rank) {
    if (target.criterion != Criterion::Absolute) return;
    std::vector<std::uint64_t> key(m);
    for (std::size_t o = 0; o < target.outputs; ++o) {
        const std::uint32_t* rank = target.y_rank.data() + o * target.rows;
        for (std::size_t i = 0; i < m; ++i) key[i] = std::uint64_t(rank[row[i]]) << 32 | row[i];
        std::sort(key.begin(), key.end());
        for (std::size_t p = 0; p < m; ++p)
            local_rank[o * target.rows + static_cast<std::uint32_t>(key[p])] = static_cast<std::uint32_t>(p);
    }
}

}  // namespace novum::tree
