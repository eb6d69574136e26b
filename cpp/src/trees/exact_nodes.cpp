#include <algorithm>

#include "novum/trees/exact_grower.h"

namespace novum::tree {

void Grower::write(const Part& part, std::size_t index, Grown& out) const {
    const Node& node = part.nodes[index];
    const std::size_t s = target.sums(), at = out.value.size();
    out.left.push_back(-1);
    out.right.push_back(-1);
    out.feature.push_back(node.feature);
    out.threshold.push_back(node.threshold);
    out.missing_left.push_back(node.missing_left);
    out.impurity.push_back(node.impurity);
    out.samples.push_back(node.rows);
    out.weight.push_back(node.weight);
    const auto word = part.words.begin() + static_cast<std::ptrdiff_t>(node.words);
    out.words.insert(out.words.end(), word, word + node.n_words);
    out.word_begin.push_back(static_cast<std::int64_t>(out.words.size()));
    for (std::size_t k = 0; k < s; ++k) {
        const double sum = part.sums[index * s + k];
        out.value.push_back(target.criterion == Criterion::Absolute ? sum : sum / node.weight);
    }
    if (!settings.monotone.empty()) {
        double& v = out.value[at];
        v = std::clamp(v, part.bounds[2 * index], part.bounds[2 * index + 1]);
        if (target.classification()) out.value[at + 1] = 1 - v;
    }
}

Grown Grower::grown() {
    for (auto* done : {&order, &rows, &spare, &local_rank}) std::vector<std::uint32_t>().swap(*done);
    std::size_t count = top.nodes.size();
    for (const auto& part : parts) count += part->nodes.size() - 1;
    Grown out;
    for (auto* list : {&out.left, &out.right, &out.feature, &out.samples, &out.word_begin}) list->reserve(count + 1);
    for (auto* list : {&out.threshold, &out.impurity, &out.weight}) list->reserve(count);
    out.value.reserve(count * target.sums());
    out.missing_left.reserve(count);
    out.word_begin.push_back(0);
    if (settings.max_leaves > 0) {
        for (std::size_t i = 0; i < top.nodes.size(); ++i) {
            write(top, i, out);
            out.left[i] = top.nodes[i].left;
            out.right[i] = top.nodes[i].right;
        }
        return out;
    }
    struct Step {
        const Part* part;
        std::size_t index;
        std::int64_t parent;
        bool left;
    };
    std::vector<Step> stack{{&top, 0, -1, false}};
    while (!stack.empty()) {
        Step step = stack.back();
        stack.pop_back();
        if (const std::int64_t inner = step.part->nodes[step.index].part; inner >= 0)
            step = {parts[static_cast<std::size_t>(inner)].get(), 0, step.parent, step.left};
        const auto id = static_cast<std::int64_t>(out.left.size());
        write(*step.part, step.index, out);
        if (step.parent >= 0) (step.left ? out.left : out.right)[static_cast<std::size_t>(step.parent)] = id;
        const Node& node = step.part->nodes[step.index];
        if (node.left < 0) continue;
        stack.push_back({step.part, static_cast<std::size_t>(node.right), id, false});
        stack.push_back({step.part, static_cast<std::size_t>(node.left), id, true});
    }
    return out;
}

}  // namespace novum::tree
