#include "novum/factors/steps.h"

#include <algorithm>
#include <map>

namespace novum::factors {

namespace {

constexpr std::int64_t LONG_ROW = 8;    // cells from which a loop is worth vectors by itself
constexpr std::int64_t TOGETHER = 256;  // cells that are walked by a list of positions where loops are shorter
constexpr std::int64_t ALIGN = 8;       // cells of a cache line

std::int64_t stride_of(const Buffer& buffer, std::int32_t v) {
    const auto at = std::find(buffer.scope.begin(), buffer.scope.end(), v);
    return at == buffer.scope.end() ? 0 : buffer.stride[static_cast<std::size_t>(at - buffer.scope.begin())];
}

void push_merged(std::vector<Loop>& loops, Loop loop) {
    if (loop.count == 1) return;
    if (!loops.empty()) {
        Loop& last = loops.back();
        if (last.a == loop.a * loop.count && last.b == loop.b * loop.count) {
            last = {last.count * loop.count, loop.a, loop.b};
            return;
        }
    }
    loops.push_back(loop);
}

// Positions of the cells of loops[from..] in one input.
std::vector<std::int32_t> positions(const std::vector<Loop>& loops, std::size_t from, std::int64_t Loop::* step) {
    std::vector<std::int32_t> out{0};
    for (std::size_t i = from; i < loops.size(); ++i) {
        std::vector<std::int32_t> next;
        for (auto base : out)
            for (std::int64_t k = 0; k < loops[i].count; ++k) next.push_back(base + static_cast<std::int32_t>(k * (loops[i].*step)));
        out = std::move(next);
    }
    return out;
}

}  // namespace

void StepMaker::add(std::int32_t a, std::int32_t b, std::int32_t variable, bool maximise, std::int32_t out) {
    Step step{a, b, out, variable, maximise, {1, 0, 0}, {}, 1, 0, {}, {}};
    const Buffer& A = plan.buffers[static_cast<std::size_t>(a)];
    const Buffer empty;
    const Buffer& B = b >= 0 ? plan.buffers[static_cast<std::size_t>(b)] : empty;
    const Buffer& O = plan.buffers[static_cast<std::size_t>(out)];
    if (variable >= 0) step.over = {plan.cards[static_cast<std::size_t>(variable)], stride_of(A, variable), stride_of(B, variable)};
    for (auto v : O.scope) push_merged(step.loops, {plan.cards[static_cast<std::size_t>(v)], stride_of(A, v), stride_of(B, v)});
    plan.cost.multiplications += static_cast<double>(O.size) * static_cast<double>(step.over.count);
    const std::size_t n = step.loops.size();
    const auto even = [](const Loop& l) { return l.a <= 1 && l.b <= 1; };
    if (n > 0 && even(step.loops[n - 1]) && step.loops[n - 1].count >= LONG_ROW) {
        step.outer = n - 1;
        step.inner = step.loops[n - 1].count;
    } else {
        step.outer = n;
        while (step.outer > 0 && step.inner * step.loops[step.outer - 1].count <= TOGETHER) step.inner *= step.loops[--step.outer].count;
        bool narrow = true;
        for (std::size_t i = step.outer; i < n; ++i)
            narrow = narrow && std::max(step.loops[i].a, step.loops[i].b) * step.loops[i].count < (std::int64_t{1} << 31);
        if (!narrow) step.outer = n, step.inner = 1;
        step.ia = positions(step.loops, step.outer, &Loop::a);
        step.ib = positions(step.loops, step.outer, &Loop::b);
    }
    plan.steps.push_back(std::move(step));
}

void lay_out(Plan& plan, Output& output) {
    output.at = plan.results;
    const Buffer empty;
    const Buffer& buffer = output.buffers.empty() ? empty : plan.buffers[static_cast<std::size_t>(output.buffers[0])];
    for (auto v : output.scope) {
        const std::int64_t count = plan.cards[static_cast<std::size_t>(v)];
        push_merged(output.loops, {count, stride_of(buffer, v), 0});
        output.size *= count;
    }
    plan.results += output.size;
}

void place_buffers(Plan& plan) {
    constexpr std::size_t NEVER = static_cast<std::size_t>(-1);
    const std::size_t count = plan.steps.size();
    std::vector<std::size_t> last(plan.buffers.size(), NEVER);
    const auto keep = [&](std::int32_t f) { last[static_cast<std::size_t>(f)] = count; };
    for (const auto& output : plan.outputs)
        for (auto f : output.buffers) keep(f);
    for (const auto& list : plan.constants)
        for (auto f : list) keep(f);
    std::vector<char> live(count, 0);
    for (std::size_t i = count; i-- > 0;) {
        const Step& step = plan.steps[i];
        if (last[static_cast<std::size_t>(step.out)] == NEVER) continue;
        live[i] = 1;
        for (auto f : {step.a, step.b})
            if (f >= 0 && last[static_cast<std::size_t>(f)] == NEVER) last[static_cast<std::size_t>(f)] = i;
    }
    for (auto i : plan.choices)  // read again when the best values are traced back
        for (auto f : {plan.steps[static_cast<std::size_t>(i)].a, plan.steps[static_cast<std::size_t>(i)].b})
            if (f >= 0) keep(f);
    std::multimap<std::int64_t, std::int64_t> free;  // size -> place
    std::vector<std::int64_t> taken(plan.buffers.size(), 0);
    std::vector<Step> steps;
    std::vector<std::int32_t> moved(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        if (!live[i]) continue;
        Buffer& out = plan.buffers[static_cast<std::size_t>(plan.steps[i].out)];
        const std::int64_t size = (out.size + ALIGN - 1) / ALIGN * ALIGN;
        const auto fit = free.lower_bound(size);
        if (fit != free.end() && fit->first <= 2 * size) {
            out.at = fit->second;
            taken[static_cast<std::size_t>(plan.steps[i].out)] = fit->first;
            free.erase(fit);
        } else {
            out.at = plan.workspace;
            taken[static_cast<std::size_t>(plan.steps[i].out)] = size;
            plan.workspace += size;
        }
        for (auto f : {plan.steps[i].a, plan.steps[i].b})
            if (f >= 0 && plan.buffers[static_cast<std::size_t>(f)].table < 0 && last[static_cast<std::size_t>(f)] == i)
                free.emplace(taken[static_cast<std::size_t>(f)], plan.buffers[static_cast<std::size_t>(f)].at),
                    last[static_cast<std::size_t>(f)] = NEVER;
        moved[i] = static_cast<std::int32_t>(steps.size());
        steps.push_back(std::move(plan.steps[i]));
    }
    plan.steps = std::move(steps);
    for (auto& choice : plan.choices) choice = moved[static_cast<std::size_t>(choice)];
    plan.cost.multiplications = 0;
    for (const auto& step : plan.steps)
        plan.cost.multiplications +=
            static_cast<double>(plan.buffers[static_cast<std::size_t>(step.out)].size) * static_cast<double>(step.over.count);
    plan.cost.bytes = 8.0 * static_cast<double>(plan.workspace);
}

}  // namespace novum::factors
