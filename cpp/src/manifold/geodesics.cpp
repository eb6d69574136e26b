#include "novum/manifold/geodesics.h"

#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"

namespace novum {
namespace {

/// A heap whose nodes have four children each and know their place, so that a key can fall.
class Heap {
  public:
    explicit Heap(std::size_t n) : place(n, NONE) { nodes.reserve(n); }

    bool empty() const { return nodes.empty(); }

    void lower(std::int32_t node, double key) {
        std::size_t at = place[static_cast<std::size_t>(node)];
        if (at == NONE) {
            at = nodes.size();
            nodes.push_back({key, node});
        }
        while (at > 0) {
            const std::size_t above = (at - 1) / 4;
            if (nodes[above].key <= key) break;
            put(at, nodes[above]);
            at = above;
        }
        put(at, {key, node});
    }

    std::int32_t pop() {
        const std::int32_t top = nodes[0].node;
        place[static_cast<std::size_t>(top)] = NONE;
        const Item last = nodes.back();
        nodes.pop_back();
        const std::size_t n = nodes.size();
        if (n == 0) return top;
        std::size_t at = 0;
        for (std::size_t child = 1; child < n; child = 4 * at + 1) {
            std::size_t least = child;
            const std::size_t stop = child + 4 < n ? child + 4 : n;
            for (std::size_t c = child + 1; c < stop; ++c)
                if (nodes[c].key < nodes[least].key) least = c;
            if (nodes[least].key >= last.key) break;
            put(at, nodes[least]);
            at = least;
        }
        put(at, last);
        return top;
    }

  private:
    struct Item {
        double key;
        std::int32_t node;
    };
    static constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();

    void put(std::size_t at, const Item& item) {
        nodes[at] = item;
        place[static_cast<std::size_t>(item.node)] = at;
    }

    std::vector<Item> nodes;
    std::vector<std::size_t> place;
};

}  // namespace

template <class Real>
void shortest_paths(const std::int64_t* begin, const std::int32_t* to, const double* length, std::size_t n, const std::int64_t* source,
                    std::size_t sources, Real* out) {
    Heap heap(n);
    std::vector<double> distance(n);
    for (std::size_t s = 0; s < sources; ++s) {
        interrupt::poll();
        distance.assign(n, std::numeric_limits<double>::infinity());
        distance[static_cast<std::size_t>(source[s])] = 0;
        heap.lower(static_cast<std::int32_t>(source[s]), 0);
        while (!heap.empty()) {
            const auto node = static_cast<std::size_t>(heap.pop());
            const double here = distance[node];
            for (std::int64_t e = begin[node]; e < begin[node + 1]; ++e) {
                const double there = here + length[e];
                if (there < distance[static_cast<std::size_t>(to[e])]) {
                    distance[static_cast<std::size_t>(to[e])] = there;
                    heap.lower(to[e], there);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) out[s * n + i] = static_cast<Real>(distance[i]);
    }
}

template void shortest_paths(const std::int64_t*, const std::int32_t*, const double*, std::size_t, const std::int64_t*, std::size_t, float*);
template void shortest_paths(const std::int64_t*, const std::int32_t*, const double*, std::size_t, const std::int64_t*, std::size_t,
                             double*);

}  // namespace novum
