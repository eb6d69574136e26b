#include "novum/kernels/program.h"

#include <algorithm>

namespace novum::kernels {

std::size_t numbers_of(Op op, bool& scales) {
    scales = op >= Op::rbf && op <= Op::rational;
    switch (op) {
        case Op::constant:
        case Op::white:
        case Op::linear:
        case Op::rational:
        case Op::power: return 1;
        case Op::periodic:
        case Op::sigmoid: return 2;
        case Op::polynomial: return 3;
        default: return 0;
    }
}

namespace {

// Columns in panels, each coordinate times its factor (one over the length scale, or one).
void pack(const double* from, std::size_t count, std::size_t d, const double* factor, std::vector<double>& panels) {
    panels.assign((count + COLUMNS - 1) / COLUMNS * d * COLUMNS, 0.0);
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t j = 0; j < d; ++j)
            panels[(c / COLUMNS * d + j) * COLUMNS + c % COLUMNS] = from[c * d + j] * (factor ? factor[j] : 1);
}

}  // namespace

Program::Program(std::vector<Node> given, std::vector<double> all_numbers, const std::vector<Source>& sources, std::size_t n_rows,
                 std::size_t n_columns, bool same_points)
    : nodes(std::move(given)), numbers(std::move(all_numbers)), points(nodes.size()), n(n_rows), m(n_columns), same(same_points) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (node.op < Op::linear || node.op >= Op::sum) continue;
        bool scales = false;
        const std::size_t own = numbers_of(node.op, scales);
        const Source& source = sources[static_cast<std::size_t>(node.source)];
        const double* factor = scales ? numbers.data() + node.first + own : nullptr;
        LeafPoints& at = points[i];
        at.d = source.d;
        at.rows.resize(n * at.d);
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t j = 0; j < at.d; ++j) at.rows[r * at.d + j] = source.rows[r * at.d + j] * (factor ? factor[j] : 1);
        pack(same ? source.rows : source.columns, m, at.d, factor, at.panels);
    }
}

}  // namespace novum::kernels
