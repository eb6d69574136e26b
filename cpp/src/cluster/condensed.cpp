#include "novum/cluster/condensed.h"

#include <limits>

namespace novum::cluster {

Condensed condense(const std::int64_t* children, const double* height, const std::int64_t* size, std::size_t n, std::int64_t least,
                   std::int64_t* row_cluster, double* row_death) {
    constexpr double STANDS = -1;  // a node that has not fallen out of its cluster
    struct Node {
        std::int64_t cluster = 0;
        double death = STANDS;
    };
    std::vector<Node> node(2 * n - 1);
    Condensed out{{-1}, {static_cast<std::int64_t>(n)}, {0.0}};
    auto rows_below = [&](std::int64_t child) {
        return child < static_cast<std::int64_t>(n) ? 1 : size[static_cast<std::size_t>(child) - n];
    };
    for (std::size_t i = 2 * n - 2; i >= n; --i) {  // children have lower numbers: from the root downwards
        const std::size_t merge = i - n;
        const Node here = node[i];
        const std::int64_t side[2] = {children[2 * merge], children[2 * merge + 1]};
        if (here.death != STANDS) {
            for (const std::int64_t child : side) node[static_cast<std::size_t>(child)] = here;
            continue;
        }
        const double density = height[merge] > 0 ? 1 / height[merge] : std::numeric_limits<double>::infinity();
        const bool large[2] = {rows_below(side[0]) >= least, rows_below(side[1]) >= least};
        for (int s = 0; s < 2; ++s) {
            Node& child = node[static_cast<std::size_t>(side[s])];
            child = here;
            if (!large[s]) {
                child.death = density;
            } else if (large[1 - s]) {
                child.cluster = static_cast<std::int64_t>(out.parent.size());
                out.parent.push_back(here.cluster);
                out.size.push_back(rows_below(side[s]));
                out.birth.push_back(density);
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) row_cluster[i] = node[i].cluster, row_death[i] = node[i].death;
    return out;
}

}  // namespace novum::cluster
