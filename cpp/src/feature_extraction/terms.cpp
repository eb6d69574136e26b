// The set of terms: open addressing with the hash kept beside the number, so that a search compares bytes about once.
#include <algorithm>
#include <cstring>

#include "novum/feature_extraction/text.h"

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
    while (slots[i].number != NONE && (slots[i].hash != hash || (*this)[static_cast<std::size_t>(slots[i].number)] != term))
        i = (i + 1) & mask;
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

std::int32_t Terms::find(std::string_view term) const { return slots.empty() ? NONE : slots[place(term, mixed(term))].number; }

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

namespace {

// The first sixteen bytes of a term as numbers: they settle most comparisons without looking at the text.
struct Key {
    std::uint64_t head, next;
    std::uint32_t number;
};

std::uint64_t eight(std::string_view term, std::size_t from) {
    unsigned char bytes[8] = {};
    if (term.size() > from) std::memcpy(bytes, term.data() + from, std::min<std::size_t>(8, term.size() - from));
    std::uint64_t value = 0;
    for (unsigned char byte : bytes) value = value << 8 | byte;
    return value;
}

}  // namespace

std::vector<std::uint32_t> Terms::order() const {
    std::vector<Key> keys(size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {eight((*this)[i], 0), eight((*this)[i], 8), static_cast<std::uint32_t>(i)};
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        if (a.head != b.head) return a.head < b.head;
        return a.next != b.next ? a.next < b.next : (*this)[a.number] < (*this)[b.number];
    });
    std::vector<std::uint32_t> out(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) out[i] = keys[i].number;
    return out;
}

Merged merge(const std::vector<Sorted>& blocks) {
    Merged out;
    for (const Sorted& block : blocks) out.renumber.emplace_back(block.terms->size());
    std::vector<std::size_t> next(blocks.size(), 0);
    auto term = [&](std::size_t b) { return (*blocks[b].terms)[(*blocks[b].order)[next[b]]]; };
    auto later = [&](std::size_t a, std::size_t b) { return term(a) > term(b); };
    std::vector<std::size_t> heap;  // blocks that have terms left, the one with the first on top
    for (std::size_t b = 0; b < blocks.size(); ++b)
        if (blocks[b].terms->size()) heap.push_back(b);
    std::make_heap(heap.begin(), heap.end(), later);
    std::string_view last;
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const std::size_t b = heap.back();
        const std::uint32_t number = (*blocks[b].order)[next[b]];
        const std::string_view here = term(b);
        if (out.order.empty() || here != last) out.order.emplace_back(static_cast<std::uint32_t>(b), number);
        last = here;
        out.renumber[b][number] = static_cast<std::int32_t>(out.order.size() - 1);
        if (++next[b] < blocks[b].terms->size())
            std::push_heap(heap.begin(), heap.end(), later);
        else
            heap.pop_back();
    }
    return out;
}

}  // namespace novum::text
