#include "novum/cluster/condensed.h"

#include <limits>

namespace novum::cluster {

Condensed condense(const std::int64_t* children, const double* height, const std::int64_t* size, std::size_t n, std::int64_t least,
                   std::int64_t* row_cluster, double* row_death) {
    constexpr double STANDS = -1;  // a node that has not fallen out of its cluster
    struct Node {
        std::int64_t cluster = 0;
        double death = STANDS;
        bool absorbed = false;  // part of a merge of many sides
    };
    std::vector<Node> node(2 * n - 1);
    std::vector<std::int64_t> sides;
    Condensed out{{-1}, {static_cast<std::int64_t>(n)}, {0.0}};
    auto rows_below = [&](std::int64_t child) {
        return child < static_cast<std::int64_t>(n) ? 1 : size[static_cast<std::size_t>(child) - n];
    };
    for (std::size_t i = 2 * n - 2; i >= n; --i) {  // children have lower numbers: from the root downwards
        const std::size_t merge = i - n;
        const Node here = node[i];
        if (here.death != STANDS) {
            for (const std::int64_t child : {children[2 * merge], children[2 * merge + 1]}) node[static_cast<std::size_t>(child)] = here;
            continue;
        }
        if (here.absorbed) continue;
        // Merges of one height are one merge of many sides: in which order they were made must not matter.
        sides.assign({children[2 * merge], children[2 * merge + 1]});
        for (std::size_t s = 0; s < sides.size();) {
            const std::int64_t child = sides[s];
            if (child >= static_cast<std::int64_t>(n) && height[static_cast<std::size_t>(child) - n] == height[merge]) {
                const std::size_t inner = static_cast<std::size_t>(child) - n;
                node[static_cast<std::size_t>(child)].absorbed = true;
                sides[s] = children[2 * inner];
                sides.push_back(children[2 * inner + 1]);
            } else {
                ++s;
            }
        }
        const double density = height[merge] > 0 ? 1 / height[merge] : std::numeric_limits<double>::infinity();
        std::size_t large = 0;
        for (const std::int64_t side : sides) large += rows_below(side) >= least;
        for (const std::int64_t side : sides) {
            Node& child = node[static_cast<std::size_t>(side)];
            child = here;
            if (rows_below(side) < least) {
                child.death = density;
            } else if (large > 1) {
                child.cluster = static_cast<std::int64_t>(out.parent.size());
                out.parent.push_back(here.cluster);
                out.size.push_back(rows_below(side));
                out.birth.push_back(density);
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) row_cluster[i] = node[i].cluster, row_death[i] = node[i].death;
    return out;
}

}  // namespace novum::cluster
