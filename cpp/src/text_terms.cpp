// The set of terms: open addressing with the hash kept beside the number, so that a search compares bytes about once.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "novum/text.h"

namespace novum::text {

namespace {

constexpr std::size_t FEWEST = 1024;  // slots to begin with

// Multiply and fold eight bytes at a time: terms are short.
std::uint32_t mixed(std::string_view term) {
    constexpr std::uint64_t A = 0x9E3779B97F4A7C15u, B = 0xD6E8FEB86659FD93u;
    std::uint64_t h = term.size() * A;
    const char* p = term.data();
    std::size_t left = term.size();
    for (; left >= 8; p += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        h = (h ^ word) * B;
        h ^= h >> 32;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, p, left);
    h = (h ^ word) * B;
    h ^= h >> 29;
    h *= A;
    return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace

std::size_t Terms::place(std::string_view term, std::uint32_t hash) const {
    const std::size_t mask = slots.size() - 1;
    std::size_t i = hash & mask;
    while (slots[i].number != NONE && (slots[i].hash != hash || (*this)[static_cast<std::size_t>(slots[i].number)] != term)) i = (i + 1) & mask;
    return i;
}

void Terms::grow() {
    std::vector<Slot> old(std::max(FEWEST, 2 * slots.size()), Slot{0, NONE});
    old.swap(slots);
    const std::size_t mask = slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.number == NONE) continue;
        std::size_t i = slot.hash & mask;
        while (slots[i].number != NONE) i = (i + 1) & mask;
        slots[i] = slot;
    }
}

std::int32_t Terms::add(std::string_view term) {
    if (2 * (size() + 1) > slots.size()) grow();
    const std::uint32_t hash = mixed(term);
    Slot& slot = slots[place(term, hash)];
    if (slot.number == NONE) {
        slot = {hash, static_cast<std::int32_t>(size())};
        bytes.insert(bytes.end(), term.begin(), term.end());
        start.push_back(bytes.size());
    }
    return slot.number;
}

std::int32_t Terms::find(std::string_view term) const {
    return slots.empty() ? NONE : slots[place(term, mixed(term))].number;
}

void Counts::renumber(const std::int32_t* number) {
    std::vector<std::uint64_t> row;
    std::size_t i = 0;
    for (std::int64_t stop : end) {
        row.clear();
        for (std::size_t j = i; j < static_cast<std::size_t>(stop); ++j)
            row.push_back(static_cast<std::uint64_t>(number[term[j]]) << 32 | static_cast<std::uint32_t>(count[j]));
        std::sort(row.begin(), row.end());
        for (std::uint64_t pair : row) {
            term[i] = static_cast<std::int32_t>(pair >> 32);
            count[i++] = static_cast<std::int32_t>(pair & 0xFFFFFFFFu);
        }
    }
}

Merged merge(const std::vector<const Terms*>& blocks) {
    Merged out;
    Terms all;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> where;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const Terms& terms = *blocks[b];
        std::vector<std::int32_t>& number = out.renumber.emplace_back(terms.size());
        for (std::size_t i = 0; i < terms.size(); ++i) {
            number[i] = all.add(terms[i]);
            if (static_cast<std::size_t>(number[i]) == where.size()) where.emplace_back(b, static_cast<std::uint32_t>(i));
        }
    }
    // Sorted by their first eight bytes as a number, which settles most comparisons without looking at the text.
    struct Key {
        std::uint64_t head;
        std::uint32_t number;
    };
    std::vector<Key> keys(all.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        unsigned char head[8] = {};
        std::memcpy(head, all[i].data(), std::min<std::size_t>(8, all[i].size()));
        std::uint64_t value = 0;
        for (unsigned char byte : head) value = value << 8 | byte;
        keys[i] = {value, static_cast<std::uint32_t>(i)};
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return a.head != b.head ? a.head < b.head : all[a.number] < all[b.number];
    });
    std::vector<std::int32_t> rank(keys.size());
    for (std::size_t r = 0; r < keys.size(); ++r) {
        rank[keys[r].number] = static_cast<std::int32_t>(r);
        out.order.push_back(where[keys[r].number]);
    }
    for (auto& block : out.renumber)
        for (std::int32_t& number : block) number = rank[static_cast<std::size_t>(number)];
    return out;
}

}  // namespace novum::text
