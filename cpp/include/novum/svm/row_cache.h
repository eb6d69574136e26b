// Rows of the kernel matrix that are kept, in single or double precision, as many as fit into given bytes; the one unused for longest goes
// first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "novum/svm/rows.h"

namespace novum::svm {

template <class Real>
class RowCache {
  public:
    static constexpr std::size_t BLOCK = 12;  // rows computed together at the most

    RowCache(Rows& rows, std::size_t bytes);
    /// Keep the rows of the points `kept` (ascending), cut to their columns; `rows` are theirs. More of them fit then.
    void narrow(Rows& rows, std::span<const std::int32_t> kept);
    bool has(std::size_t i) const { return slot_of[i] >= 0; }
    /// The row of point i, computed together with the `wanted` ones where it is missing. Valid until the call after the next.
    const Real* row(std::size_t i, std::span<const std::int32_t> wanted = {});
    /// Compute the rows of points that are missing, all together; at most as many as there are slots, and distinct.
    void fetch(std::span<const std::int32_t> missing);
    std::size_t slots() const { return owner.size(); }
    std::size_t stride() const { return length; }
    std::size_t computed() const { return made; }

  private:
    std::size_t take(std::int32_t i);
    void touch(std::size_t slot);
    void pad(std::span<Real* const> written);
    Real* at(std::size_t slot) { return storage.get() + slot * length; }

    void hold(std::size_t slots);

    Rows* rows;
    std::size_t length, used = 0, made = 0, capacity;
    std::unique_ptr<Real[], void (*)(Real*)> storage;
    std::vector<std::int32_t> slot_of, owner, before, after;  // a ring of slots, the oldest first
    std::int32_t oldest = -1;
};

}  // namespace novum::svm
