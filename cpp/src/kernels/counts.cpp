#include "novum/kernels/counts.h"

#include <algorithm>

#include "novum/runtime/interrupt.h"

namespace novum::kernels {

namespace {

/// The finaliser of splitmix64: every bit of the key moves every bit of the answer.
inline std::uint64_t mixed(std::uint64_t key) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

constexpr std::size_t TABLE_BITS = 18;  // keys of so many bits are looked up in a table that second-level cache holds

/// Numbers for keys in the order in which they first occur: a table for short keys, else open addressing, at most half full.
class Numbers {
  public:
    explicit Numbers(std::size_t bits = 64)
        : table(bits <= TABLE_BITS ? std::size_t{1} << bits : 0), slots(bits <= TABLE_BITS ? 0 : 1024) {}

    std::uint32_t of(std::uint64_t key) {
        if (!table.empty()) {
            std::uint32_t& number = table[key];
            if (!number) number = ++count;
            return number - 1;
        }
        std::size_t at = mixed(key) & (slots.size() - 1);
        for (; slots[at].number; at = (at + 1) & (slots.size() - 1))
            if (slots[at].key == key) return slots[at].number - 1;
        slots[at] = {key, ++count};
        if (2 * count > slots.size()) grow();
        return count - 1;
    }
    std::uint32_t size() const { return count; }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = 0;  // plus one; zero is an empty slot
    };
    void grow() {
        std::vector<Slot> old(2 * slots.size());
        old.swap(slots);
        for (const Slot& slot : old) {
            if (!slot.number) continue;
            std::size_t at = mixed(slot.key) & (slots.size() - 1);
            while (slots[at].number) at = (at + 1) & (slots.size() - 1);
            slots[at] = slot;
        }
    }
    std::vector<std::uint32_t> table;  // plus one; zero is a key not seen
    std::vector<Slot> slots;
    std::uint32_t count = 0;
};

}  // namespace

Counts words(const std::uint32_t* symbols, const std::int64_t* ends, std::size_t n, const std::int32_t* patterns, std::size_t n_patterns,
             std::size_t k, int bits) {
    Counts found;
    found.pointer.assign(1, 0);
    const bool whole = static_cast<std::size_t>(bits) * k <= 64;
    Numbers column(whole ? static_cast<std::size_t>(bits) * k : 64);
    std::vector<Numbers> prefix(whole ? 0 : k);  // by length
    std::vector<std::int64_t> owner, place;      // of every column: the last object that has it, and where
    interrupt::Poller<4096> poller;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t end = ends[i];
        for (std::int64_t start = begin; start < end; ++start) {
            poller.tick();
            for (std::size_t p = 0; p < n_patterns; ++p) {
                const std::int32_t* offset = patterns + p * k;
                if (start + offset[k - 1] >= end) continue;
                std::uint64_t key = symbols[start];
                for (std::size_t d = 1; d < k; ++d) {
                    const std::uint64_t next = symbols[start + offset[d]];
                    key = whole ? (key << bits) | next : (static_cast<std::uint64_t>(prefix[d].of(key)) << 32) | next;
                }
                const std::uint32_t c = column.of(key);
                if (c == owner.size()) {
                    owner.push_back(-1);
                    place.push_back(0);
                }
                if (owner[c] != static_cast<std::int64_t>(i)) {
                    owner[c] = static_cast<std::int64_t>(i);
                    place[c] = static_cast<std::int64_t>(found.column.size());
                    found.column.push_back(c);
                    found.count.push_back(0);
                }
                ++found.count[static_cast<std::size_t>(place[c])];
            }
        }
        found.pointer.push_back(static_cast<std::int64_t>(found.column.size()));
        begin = end;
    }
    found.vocabulary = column.size();
    return found;
}

void products(const std::int64_t* pointer, const std::int64_t* column, const double* count, std::size_t n, const std::int64_t* by_pointer,
              const std::int64_t* by_row, const double* by_count, std::size_t m, bool same, double* out) {
    interrupt::Poller<64> poller;
    for (std::size_t i = 0; i < n; ++i) {
        poller.tick();
        double* row = out + i * m;
        std::fill_n(row, m, 0.0);
        for (std::int64_t e = pointer[i]; e < pointer[i + 1]; ++e) {
            const std::int64_t last = by_pointer[column[e] + 1];
            for (std::int64_t q = by_pointer[column[e]]; q < last; ++q) {
                const std::size_t j = static_cast<std::size_t>(by_row[q]);
                if (same && j > i) break;  // rows of a column stand in order
                row[j] += count[e] * by_count[q];
            }
        }
    }
    for (std::size_t i = 0; same && i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) out[j * m + i] = out[i * m + j];
}

std::uint32_t refine(const std::int64_t* pointer, const std::int64_t* neighbor, std::size_t n, const std::uint32_t* label,
                     std::uint32_t* refined) {
    std::vector<std::uint32_t> around(static_cast<std::size_t>(n ? pointer[n] : 0));
    std::size_t room = 1024;
    while (room < 2 * n) room *= 2;
    std::vector<std::int64_t> first(room, -1);  // the node that a slot's label was made for
    std::uint32_t count = 0;
    interrupt::Poller<4096> poller;
    for (std::size_t v = 0; v < n; ++v) {
        poller.tick();
        std::uint32_t* mine = around.data() + pointer[v];
        const std::size_t degree = static_cast<std::size_t>(pointer[v + 1] - pointer[v]);
        for (std::size_t e = 0; e < degree; ++e) mine[e] = label[neighbor[pointer[v] + static_cast<std::int64_t>(e)]];
        std::sort(mine, mine + degree);
        std::uint64_t hash = mixed(label[v] + 0x9e3779b97f4a7c15u * (degree + 1));
        for (std::size_t e = 0; e < degree; ++e) hash = mixed(hash ^ mine[e]) + 0x9e3779b97f4a7c15u;
        for (std::size_t at = hash & (room - 1);; at = (at + 1) & (room - 1)) {
            if (first[at] < 0) {
                first[at] = static_cast<std::int64_t>(v);
                refined[v] = count++;
                break;
            }
            const std::size_t u = static_cast<std::size_t>(first[at]);
            if (label[u] == label[v] && static_cast<std::size_t>(pointer[u + 1] - pointer[u]) == degree &&
                std::equal(mine, mine + degree, around.data() + pointer[u])) {
                refined[v] = refined[u];
                break;
            }
        }
    }
    return count;
}

}  // namespace novum::kernels
