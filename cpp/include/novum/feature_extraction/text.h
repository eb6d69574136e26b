// Words of texts, counted: the tokens that the pattern \b\w\w+\b finds (runs of word characters, as long as they are), their n-grams,
// and for each document how often each occurs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace novum::text {

/// A text as its interpreter stores it: code points of 1, 2 or 4 bytes.
struct Text {
    const void* points;
    std::size_t length;
    int bytes;
    bool ascii;
};

constexpr std::uint32_t CASED = 0x1F000;

/// What counts as a word and what is made of words.
struct Rules {
    const std::uint64_t* word;   // bit c: whether code point c belongs in a word
    const std::uint32_t* lower;  // (CASED,): what to take for a code point; null: itself. Points from CASED on have no case
    std::size_t shortest;        // code points of the shortest token
    std::size_t least, most;     // words of an n-gram
};

/// Terms (UTF-8; lone surrogates as if they were characters) numbered in the order of their arrival. Open addressing, O(1) per term.
class Terms {
  public:
    static constexpr std::int32_t NONE = -1;
    /// The number of a term, a new one if it is unknown.
    std::int32_t add(std::string_view term);
    /// The number of a term, or NONE.
    std::int32_t find(std::string_view term) const;
    std::size_t size() const { return start.size() - 1; }
    /// Numbers of the terms in the order of their UTF-8, which is that of their code points.
    std::vector<std::uint32_t> order() const;
    std::string_view operator[](std::size_t i) const { return {bytes.data() + start[i], start[i + 1] - start[i]}; }

  private:
    struct Slot {
        std::uint32_t hash;
        std::int32_t number;
    };
    std::size_t place(std::string_view term, std::uint32_t hash) const;
    void grow();
    std::vector<char> bytes;
    std::vector<std::size_t> start{0};
    std::vector<Slot> slots{};
};

/// Rows of counts: numbers of terms and how often they occur, row after row.
struct Counts {
    std::vector<std::int32_t> term, count;
    std::vector<std::int64_t> end;  // of every row
    /// Renumbers the terms and sorts them within each row.
    void renumber(const std::int32_t* number);
};

/// Counts the terms of texts. `fixed`: terms that `terms` does not know are passed over; otherwise they are added. Tokens of `stop` are
/// left out before n-grams are made. O(length of the texts).
void count(const std::vector<Text>& texts, const Rules& rules, const Terms& stop, bool fixed, Terms& terms, Counts& out);

/// The terms of a block of texts.
struct Sorted {
    const Terms* terms;
    const std::vector<std::uint32_t>* order;
};

/// The terms of all blocks in one order.
struct Merged {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // for each term: a block and a number there where it can be read
    std::vector<std::vector<std::int32_t>> renumber;             // (block, number there): its place in the order
};
Merged merge(const std::vector<Sorted>& blocks);

/// Rows of hashed terms: column and sum of signs. `surrogate` is set where a text cannot be encoded.
struct Hashed {
    std::vector<std::int32_t> column;
    std::vector<double> value;
    std::vector<std::int64_t> end;
    bool surrogate = false;
};

/// Adds +-1 (or 1 where not `alternate`) per term at column |h| mod `columns`, h its 32-bit Murmur 3 hash; columns rise in a row.
void hash(const std::vector<Text>& texts, const Rules& rules, const Terms& stop, std::int32_t columns, bool alternate, Hashed& out);

}  // namespace novum::text
