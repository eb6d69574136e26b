#include "novum/svm/row_cache.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace novum::svm {

namespace {

constexpr std::size_t PADDING = 16;  // numbers of the widest vector: loops over a row need no rest

constexpr std::size_t LINE = 64;       // bytes that a vector is aligned to
constexpr std::size_t HUGE = 2 << 20;  // bytes of a huge page: rows are written once, and a page fault per 4 KiB would cost as much

std::size_t padded(std::size_t n) { return (n + PADDING - 1) / PADDING * PADDING; }

template <class Real>
std::unique_ptr<Real[], void (*)(Real*)> allocate(std::size_t count) {
    // A huge page is set to zero as a whole: what does not fill one is better off without.
    const std::size_t page = count * sizeof(Real) < HUGE ? LINE : HUGE, bytes = (count * sizeof(Real) + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, bytes);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__)
    if (page == HUGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return {static_cast<Real*>(memory), [](Real* p) { std::free(p); }};
}

}  // namespace

template <class Real>
RowCache<Real>::RowCache(Rows& given, std::size_t bytes)
    : rows(&given), length(padded(given.size())), storage(nullptr, [](Real*) {}), slot_of(given.size(), -1) {
    const std::size_t fit = bytes / (length * sizeof(Real)), least = std::min<std::size_t>(given.size(), 2 * BLOCK + 2);
    const std::size_t count = std::clamp(fit, least, given.size());
    capacity = count * length;
    hold(count);
}

template <class Real>
void RowCache<Real>::hold(std::size_t slots) {
    owner.assign(slots, -1);
    before.assign(slots, -1);
    after.assign(slots, -1);
    oldest = -1;
    used = 0;
}

template <class Real>
void RowCache<Real>::narrow(Rows& given, std::span<const std::int32_t> kept) {
    std::vector<std::int32_t> number(slot_of.size(), -1), owners;
    for (std::size_t k = 0; k < kept.size(); ++k) number[static_cast<std::size_t>(kept[k])] = static_cast<std::int32_t>(k);
    const std::size_t wide = length;
    length = padded(kept.size());
    std::vector<std::size_t> from;
    for (std::size_t slot = 0; slot < used; ++slot)
        if (owner[slot] >= 0 && number[static_cast<std::size_t>(owner[slot])] >= 0) {
            from.push_back(slot);
            owners.push_back(number[static_cast<std::size_t>(owner[slot])]);
        }
    const auto move = [&](std::size_t row) {
        const Real* source = storage.get() + from[row] * wide;
        Real* to = storage.get() + row * length;
        for (std::size_t k = 0; k < kept.size(); ++k) to[k] = source[static_cast<std::size_t>(kept[k])];
    };
    // A row never moves behind itself, nor does a column. Rows whose new places end before the old place of the first of them begins
    // can move at the same time.
    for (std::size_t row = 0; row < from.size();) {
        const std::size_t last = std::min(from.size(), std::max(row + 1, from[row] * wide / length));
        if (Team* team = given.helpers(); team && last - row > 1)
            team->run(static_cast<std::uint32_t>(last - row), [&](std::uint32_t item, int) { move(row + item); });
        else
            for (std::size_t k = row; k < last; ++k) move(k);
        row = last;
    }
    rows = &given;
    slot_of.assign(kept.size(), -1);
    hold(std::min(kept.size(), capacity / length));
    for (std::int32_t i : owners) {
        Real* row = at(take(i));
        pad({&row, 1});
    }
}

template <class Real>
void RowCache<Real>::touch(std::size_t slot) {
    const auto s = static_cast<std::int32_t>(slot);
    if (oldest < 0) {
        oldest = before[slot] = after[slot] = s;
        return;
    }
    if (after[slot] >= 0) {  // out of the ring
        if (s == oldest) {
            oldest = after[slot];
            if (oldest == s) return;
        }
        after[static_cast<std::size_t>(before[slot])] = after[slot];
        before[static_cast<std::size_t>(after[slot])] = before[slot];
    }
    const auto first = static_cast<std::size_t>(oldest), last = static_cast<std::size_t>(before[first]);
    after[last] = before[first] = s;
    before[slot] = static_cast<std::int32_t>(last);
    after[slot] = oldest;
}

template <class Real>
std::size_t RowCache<Real>::take(std::int32_t i) {
    std::size_t slot = used;
    if (used < owner.size()) {
        ++used;
    } else {
        slot = static_cast<std::size_t>(oldest);
        slot_of[static_cast<std::size_t>(owner[slot])] = -1;
    }
    owner[slot] = i;
    slot_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(slot);
    touch(slot);
    return slot;
}

/// Set the padding of rows to zero; after they were written, so that threads that share the writing also share the first touch of pages.
template <class Real>
void RowCache<Real>::pad(std::span<Real* const> written) {
    for (Real* row : written) std::fill(row + rows->size(), row + length, Real(0));
}

template <class Real>
const Real* RowCache<Real>::row(std::size_t i, std::span<const std::int32_t> wanted) {
    if (has(i)) {
        touch(static_cast<std::size_t>(slot_of[i]));
        return at(static_cast<std::size_t>(slot_of[i]));
    }
    if (!storage) storage = allocate<Real>(capacity);  // only where a row is requested
    std::int32_t index[BLOCK];
    Real* out[BLOCK];
    std::size_t count = 0;
    for (std::int32_t j : wanted)
        if (count + 1 < BLOCK && static_cast<std::size_t>(j) != i && !has(static_cast<std::size_t>(j))) {
            out[count] = at(take(j));
            index[count++] = j;
        }
    index[count] = static_cast<std::int32_t>(i);  // the newest, so that it stays longest
    out[count++] = at(take(static_cast<std::int32_t>(i)));
    rows->compute(index, count, out);
    pad({out, count});
    made += count;
    return out[count - 1];
}

template <class Real>
void RowCache<Real>::fetch(std::span<const std::int32_t> missing) {
    if (missing.empty()) return;
    if (!storage) storage = allocate<Real>(capacity);
    std::vector<Real*> out;
    for (const std::int32_t i : missing) out.push_back(at(take(i)));
    rows->compute(missing.data(), missing.size(), out.data());
    pad(out);
    made += missing.size();
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace novum::svm
