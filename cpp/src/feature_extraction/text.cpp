#include "novum/feature_extraction/text.h"
#include "novum/runtime/interrupt.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace novum::text {

namespace {

// What an ASCII byte is: 0 for a character outside words, else the byte to store.
struct Ascii {
    std::array<unsigned char, 128> stored{};
    explicit Ascii(const Rules& rules) {
        for (std::size_t c = 0; c < 128; ++c)
            if (rules.word[c / 64] >> (c % 64) & 1) stored[c] = static_cast<unsigned char>(rules.lower ? rules.lower[c] : c);
    }
};

bool in_word(const Rules& rules, std::uint32_t c) { return rules.word[c / 64] >> (c % 64) & 1; }
std::uint32_t lowered(const Rules& rules, std::uint32_t c) { return rules.lower && c < CASED ? rules.lower[c] : c; }

// Writes a code point as UTF-8 and returns where the next one goes.
inline char* encode(char* out, std::uint32_t c) {
    auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6), put(0x80 | (c & 63));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    } else {
        put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    }
    return out;
}

// The tokens of one text, encoded one after the other with a space between them: a run of neighbors is an n-gram.
struct Tokens {
    std::vector<char> bytes;
    std::vector<std::size_t> start, end;
    bool surrogate = false;

    std::string_view token(std::size_t first, std::size_t last) const { return {bytes.data() + start[first], end[last] - start[first]}; }

    // `WIDEST`: bytes that a code point may take in UTF-8. `convert(c)`: the code point to store, 0 outside words.
    template <class Point, std::size_t WIDEST, class Convert>
    void split(const Text& text, const Rules& rules, const Terms& stop, Convert convert) {
        start.clear();
        end.clear();
        if (bytes.size() < (WIDEST + 1) * text.length + 1) bytes.resize((WIDEST + 1) * text.length + 1);
        const Point *p = static_cast<const Point*>(text.points), *last = p + text.length;
        char* out = bytes.data();
        const bool stops = stop.size() > 0;
        interrupt::Poller<4096> poller;
        while (p != last) {
            std::uint32_t c = convert(*p);
            if (!c) {
                ++p;
                continue;
            }
            poller.tick();
            const Point* from = p;
            char* begin = out;
            do {
                if constexpr (WIDEST == 1)
                    *out++ = static_cast<char>(c);
                else
                    out = encode(out, c);
            } while (++p != last && (c = convert(*p)));  // NOLINT(bugprone-*): the innermost loop over all texts
            const bool short_one = static_cast<std::size_t>(p - from) < rules.shortest;
            if (short_one || (stops && stop.find({begin, static_cast<std::size_t>(out - begin)}) != Terms::NONE)) {
                out = begin;
                continue;
            }
            start.push_back(static_cast<std::size_t>(begin - bytes.data()));
            end.push_back(static_cast<std::size_t>(out - bytes.data()));
            *out++ = ' ';
        }
    }

    template <class Point, std::size_t WIDEST>
    void split_points(const Text& text, const Rules& rules, const Ascii& ascii, const Terms& stop) {
        split<Point, WIDEST>(text, rules, stop, [&](Point c) -> std::uint32_t {
            if (c < 128) return ascii.stored[c];
            if (!in_word(rules, c)) return 0;
            if constexpr (sizeof(Point) > 1) surrogate |= c >= 0xD800u && c < 0xE000u;
            return lowered(rules, c);
        });
    }
};

// Visits every n-gram of every text; `next` closes a text.
template <class Visit, class Next>
bool each(const std::vector<Text>& texts, const Rules& rules, const Terms& stop, Visit visit, Next next) {
    const Ascii ascii(rules);
    Tokens tokens;
    interrupt::Poller<4096> poller;
    for (const Text& text : texts) {
        interrupt::poll();
        if (text.ascii)
            tokens.split<std::uint8_t, 1>(text, rules, stop, [&](std::uint8_t c) -> std::uint32_t { return ascii.stored[c]; });
        else if (text.bytes == 1)
            tokens.split_points<std::uint8_t, 2>(text, rules, ascii, stop);
        else if (text.bytes == 2)
            tokens.split_points<std::uint16_t, 3>(text, rules, ascii, stop);
        else
            tokens.split_points<std::uint32_t, 4>(text, rules, ascii, stop);
        for (std::size_t n = rules.least; n <= std::min(rules.most, tokens.end.size()); ++n)
            for (std::size_t i = 0; i + n <= tokens.end.size(); ++i) {
                poller.tick();
                visit(tokens.token(i, i + n - 1));
            }
        next();
    }
    return tokens.surrogate;
}

std::uint32_t murmur3(std::string_view key) {
    constexpr std::uint32_t C1 = 0xcc9e2d51u, C2 = 0x1b873593u;
    auto rotate = [](std::uint32_t x, int r) { return x << r | x >> (32 - r); };
    std::uint32_t h = 0;
    std::size_t i = 0;
    for (; i + 4 <= key.size(); i += 4) {
        std::uint32_t k;
        std::memcpy(&k, key.data() + i, 4);
        h ^= rotate(k * C1, 15) * C2;
        h = rotate(h, 13) * 5 + 0xe6546b64u;
    }
    if (i < key.size()) {
        std::uint32_t k = 0;
        for (std::size_t j = key.size(); j-- > i;) k = k << 8 | static_cast<unsigned char>(key[j]);
        h ^= rotate(k * C1, 15) * C2;
    }
    h ^= static_cast<std::uint32_t>(key.size());
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

}  // namespace

void count(const std::vector<Text>& texts, const Rules& rules, const Terms& stop, bool fixed, Terms& terms, Counts& out) {
    std::vector<std::int64_t> seen(terms.size(), -1);  // where the term is counted in the current row, if not before the row
    auto visit = [&](std::string_view term) {
        const std::int32_t number = fixed ? terms.find(term) : terms.add(term);
        if (number == Terms::NONE) return;
        const std::size_t i = static_cast<std::size_t>(number);
        if (i >= seen.size()) seen.resize(std::max(i + 1, 2 * seen.size()), -1);
        const std::int64_t row = out.end.empty() ? 0 : out.end.back();
        if (seen[i] >= row) {
            ++out.count[static_cast<std::size_t>(seen[i])];
            return;
        }
        seen[i] = static_cast<std::int64_t>(out.term.size());
        out.term.push_back(number);
        out.count.push_back(1);
    };
    each(texts, rules, stop, visit, [&] { out.end.push_back(static_cast<std::int64_t>(out.term.size())); });
}

void hash(const std::vector<Text>& texts, const Rules& rules, const Terms& stop, std::int32_t columns, bool alternate, Hashed& out) {
    std::vector<std::pair<std::int32_t, double>> row;
    auto visit = [&](std::string_view term) {
        const std::int64_t h = static_cast<std::int32_t>(murmur3(term));
        row.emplace_back(static_cast<std::int32_t>((h < 0 ? -h : h) % columns), alternate && h < 0 ? -1.0 : 1.0);
    };
    auto next = [&] {
        std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < row.size();) {
            out.column.push_back(row[i].first);
            double sum = 0;
            for (const std::int32_t column = row[i].first; i < row.size() && row[i].first == column; ++i) sum += row[i].second;
            out.value.push_back(sum);
        }
        out.end.push_back(static_cast<std::int64_t>(out.column.size()));
        row.clear();
    };
    out.surrogate = each(texts, rules, stop, visit, next);
}

}  // namespace novum::text
