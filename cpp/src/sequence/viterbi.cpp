#include "novum/sequence/viterbi.h"

#include <memory>

#include "novum/runtime/interrupt.h"
#include "novum/sequence/lanes.h"

namespace novum::sequence {

namespace {

// The largest x_i + m_ij over i, for N vectors of columns; two chains of maxima hide their latency.
template <int BYTES, int N>
NOVUM_INLINE void largest_columns(const double* x, const double* m, std::size_t k, std::size_t width, double* out) {
    using D = Doubles<BYTES>;
    typename D::V even[N], odd[N];
    for (int v = 0; v < N; ++v) even[v] = odd[v] = D::splat(NEVER);
    std::size_t i = 0;
    for (; i + 1 < k; i += 2, m += 2 * width)
        for (int v = 0; v < N; ++v) {
            const typename D::V first = x[i] + D::load(m + v * D::LANES), second = x[i + 1] + D::load(m + width + v * D::LANES);
            even[v] = first > even[v] ? first : even[v];
            odd[v] = second > odd[v] ? second : odd[v];
        }
    if (i < k)
        for (int v = 0; v < N; ++v) {
            const typename D::V last = x[i] + D::load(m + v * D::LANES);
            even[v] = last > even[v] ? last : even[v];
        }
    for (int v = 0; v < N; ++v) D::store(out + v * D::LANES, even[v] > odd[v] ? even[v] : odd[v]);
}

struct Recursion {
    template <int BYTES>
    static NOVUM_INLINE void run(const Chain& chain, const Densities& densities, const double* forth, std::size_t begin, std::size_t end,
                                 double* now, double* best, double* score) {
        constexpr std::size_t LANES = Doubles<BYTES>::LANES;
        const std::size_t k = chain.k, width = padded(k);
        interrupt::Poller<256> poller;
        for (std::size_t t = begin; t < end; ++t) {
            poller.tick();
            if (t == begin) {
                for (std::size_t j = 0; j < k; ++j) best[j] = log_or_never(chain.start[j]);
            } else {
                std::size_t j = 0;
                for (; j + 4 * LANES <= width; j += 4 * LANES) largest_columns<BYTES, 4>(now, forth + j, k, width, best + j);
                for (; j + 2 * LANES <= width; j += 2 * LANES) largest_columns<BYTES, 2>(now, forth + j, k, width, best + j);
                for (; j < width; j += LANES) largest_columns<BYTES, 1>(now, forth + j, k, width, best + j);
            }
            const double* row = densities.row(t);
            double* to = score + t * k;
            for (std::size_t j = 0; j < k; ++j) to[j] = now[j] = row ? best[j] + row[j] : best[j];
        }
    }
};

// (8) and (9) for up to eight states in one vector: where each state came from is a byte, so the way back is a walk from byte to byte.
template <int K>
struct Narrow {
    template <int I_, class V>
    static NOVUM_INLINE void candidates(V now, const V* A, V* value) {
        if constexpr (I_ < K) {
            value[I_] = States<K>::template lane<I_>(now) + A[I_];
            candidates<I_ + 1>(now, A, value);
        }
    }

    // The largest of values first to first + N, in a tree: the next step waits for this alone.
    template <int FIRST, int N, class V>
    static NOVUM_INLINE V largest(const V* value) {
        if constexpr (N == 1) {
            return value[FIRST];
        } else {
            const V a = largest<FIRST, N / 2>(value), b = largest<FIRST + N / 2, N - N / 2>(value);
            return a > b ? a : b;
        }
    }

    template <int BYTES>
    static NOVUM_INLINE double run(const Chain& chain, const Densities& densities, const double* forth, std::size_t begin, std::size_t end,
                                   std::int64_t* path) {
        using S = States<K>;
        using V = typename S::V;
        using Mask = decltype(V{} > V{});
        typedef signed char Bytes __attribute__((vector_size(S::LANES)));
        constexpr std::size_t WIDTH = S::LANES;
        V A[K], now = S::splat(NEVER);
        for (std::size_t i = 0; i < K; ++i) A[i] = S::load(forth + i * PAD);
        double row[8] = {};
        for (std::size_t j = 0; j < K; ++j) row[j] = log_or_never(chain.start[j]);
        V best = S::load(row);
        const std::unique_ptr<signed char[]> came(new signed char[(end - begin) * WIDTH]);  // written before it is read
        const V silent{};
        interrupt::Poller<4096> poller;
        for (std::size_t t = begin; t < end; ++t) {
            poller.tick();
            if (t > begin) {
                V value[K];
                candidates<0>(now, A, value);
                best = largest<0, K>(value);
                Mask from{};
                for (int i = K - 1; i > 0; --i) from = value[i] == best ? Mask{} + i : from;
                from = value[0] == best ? Mask{} : from;
                const Bytes bytes = __builtin_convertvector(from, Bytes);
                std::memcpy(came.get() + (t - begin) * WIDTH, &bytes, sizeof bytes);
            }
            const double* log = densities.row(t);
            now = best + (log ? S::load_exact(log) : silent);
        }
        double last[8];
        S::store_padded(last, now);
        std::size_t state = 0;
        for (std::size_t j = 1; j < K; ++j)
            if (last[j] > last[state]) state = j;
        for (std::size_t t = end; t-- > begin;) {
            path[t] = static_cast<std::int64_t>(state);
            if (t > begin) state = static_cast<unsigned char>(came[(t - begin) * WIDTH + state]);
        }
        return last[path[end - 1]];
    }
};

// The step at which the last path ends: none goes on to it.
std::size_t dead_end(const Chain& chain, const Densities& densities, std::size_t begin, std::size_t end) {
    std::vector<double> row(chain.k);
    std::vector<char> there(chain.k), next(chain.k);
    for (std::size_t t = begin; t < end; ++t) {
        densities.copy(t, chain.k, NEVER, row.data());
        bool alive = false;
        for (std::size_t j = 0; j < chain.k; ++j) {
            bool reached = t == begin && chain.start[j] > 0;
            for (std::size_t i = 0; t > begin && !reached && i < chain.k; ++i) reached = there[i] && chain.trans[i * chain.k + j] > 0;
            next[j] = reached && row[j] > NEVER;
            alive = alive || next[j];
        }
        if (!alive) return t;
        std::swap(there, next);
    }
    return end - 1;
}

std::size_t first_largest(const double* x, const double* column, std::size_t k) {
    std::size_t best = 0;
    double top = x[0] + (column ? column[0] : 0.0);
    for (std::size_t i = 1; i < k; ++i) {
        const double value = x[i] + (column ? column[i] : 0.0);
        if (value > top) {
            top = value;
            best = i;
        }
    }
    return best;
}

}  // namespace

std::size_t viterbi(const Chain& chain, const Densities& densities, const Bundle& bundle, double* score, double* log_prob,
                    std::int64_t* path) {
    const std::size_t k = chain.k, width = padded(k);
    const std::vector<double> forth = padded_matrix(chain.trans, k, false, NEVER, log_or_never);
    const std::vector<double> back = padded_matrix(chain.trans, k, true, NEVER, log_or_never);
    std::vector<double> now(width, NEVER), best(width, NEVER);
    std::size_t failed = bundle.count ? bundle.end(bundle.count - 1) : 0;
    const std::size_t none = failed;
    for (std::size_t s = 0; s < bundle.count; ++s) {
        const std::size_t begin = bundle.begin(s), end = bundle.end(s);
        log_prob[s] = 0;
        if (begin == end) continue;
        if (k <= NARROW) {
            log_prob[s] = by_states(
                k, [&](auto states) { return widest<Narrow<decltype(states)::value>>(chain, densities, forth.data(), begin, end, path); });
        } else {
            widest<Recursion>(chain, densities, forth.data(), begin, end, now.data(), best.data(), score);
            std::size_t state = first_largest(score + (end - 1) * k, nullptr, k);
            log_prob[s] = score[(end - 1) * k + state];
            for (std::size_t t = end;;) {
                path[--t] = static_cast<std::int64_t>(state);
                if (t == begin) break;
                state = first_largest(score + (t - 1) * k, back.data() + state * width, k);
            }
        }
        if (!(log_prob[s] > NEVER) && failed == none) failed = dead_end(chain, densities, begin, end);
    }
    return failed;
}

std::size_t best_paths(const Chain& chain, const Densities& densities, std::size_t n, std::size_t count, double* log_prob,
                       std::int64_t* paths) {
    struct Candidate {
        double score;
        std::int64_t from;  // state * count + rank of the path that it continues
    };
    const auto better = [](const Candidate& a, const Candidate& b) { return a.score > b.score || (a.score == b.score && a.from < b.from); };
    const std::size_t k = chain.k;
    std::vector<double> now(k * count, NEVER), next(k * count, NEVER), row(k);
    std::vector<std::int64_t> from(n * k * count, -1);
    const std::vector<double> log_trans = padded_matrix(chain.trans, k, false, NEVER, log_or_never);
    const std::size_t width = padded(k);
    std::vector<Candidate> candidates;
    for (std::size_t t = 0; t < n; ++t) {
        interrupt::poll();
        densities.copy(t, k, NEVER, row.data());
        std::fill(next.begin(), next.end(), NEVER);
        for (std::size_t j = 0; j < k; ++j) {
            if (t == 0) {
                next[j * count] = log_or_never(chain.start[j]) + row[j];
                continue;
            }
            candidates.clear();
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t r = 0; r < count; ++r) {
                    const double score = now[i * count + r] + log_trans[i * width + j];
                    if (!(score > NEVER)) break;  // ranks fall
                    candidates.push_back({score, static_cast<std::int64_t>(i * count + r)});
                }
            const std::size_t kept = std::min(count, candidates.size());
            std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(), better);
            for (std::size_t r = 0; r < kept; ++r) {
                next[j * count + r] = candidates[r].score + row[j];
                from[(t * k + j) * count + r] = candidates[r].from;
            }
        }
        std::swap(now, next);
    }
    candidates.clear();
    for (std::size_t c = 0; c < k * count; ++c)
        if (now[c] > NEVER) candidates.push_back({now[c], static_cast<std::int64_t>(c)});
    const std::size_t found = std::min(count, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(found), candidates.end(), better);
    for (std::size_t r = 0; r < found; ++r) {
        log_prob[r] = candidates[r].score;
        auto place = static_cast<std::size_t>(candidates[r].from);
        for (std::size_t t = n; t-- > 0;) {
            paths[r * n + t] = static_cast<std::int64_t>(place / count);
            if (t > 0) place = static_cast<std::size_t>(from[t * k * count + place]);
        }
    }
    return found;
}

}  // namespace novum::sequence
