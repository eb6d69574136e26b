// A finite decision process as arrays, see novum/reinforcement/model.py, and sweeps of Bellman's operators over it.
//
//   q[k]   = reward[k] + gamma sum_e probability[e] v[next[e]]        the value of pair k                                       (1)
//   T*v(s) = max_k q[k] over the pairs of s                                                                              (2)
//   T^pi v(s) = q[choice[s]]                                                                                             (3)
//
// O(entries) a sweep. Threads share chunks of states whose bounds do not depend on the number of threads, and sums are added chunk by
// chunk, so results are the same bits for any number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/runtime/team.h"

namespace novum::decisions {

constexpr std::size_t CHUNK = 2048;  // states that one thread takes at a time

struct Process {
    std::size_t n, pairs;
    const std::int64_t* first;  // (n + 1)
    const std::int64_t* start;  // (pairs + 1)
    const std::int32_t* next;   // (entries)
    const double* probability;  // (entries)
    const double* reward;       // (pairs)
    double discount;
    std::uint32_t chunks() const { return static_cast<std::uint32_t>((n + CHUNK - 1) / CHUNK); }
};

/// The rows of one policy, one behind another: what its evaluation reads.
struct Rows {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> next;
    std::vector<double> probability, reward;
};

/// How far a sweep moved the values: least and largest change, and the states whose choice changed.
struct Change {
    double low, high;
    std::int64_t changed;
};

/// (1) of every pair.
void pair_values(const Process& process, const double* v, Team& team, double* out);

/// (2) into out, the best pair of every state into choice. A choice stays unless another is better by more than `margin`.
Change improve(const Process& process, const double* v, double margin, Team& team, double* out, std::int64_t* choice);

/// (2) in place, state after state in a given order; serial.
Change improve_in_place(const Process& process, const std::int64_t* order, double margin, double* v, std::int64_t* choice);

/// The same from the first state to the last, or back.
Change improve_in_place(const Process& process, bool forwards, double* v, std::int64_t* choice);

/// The values on the way, written down where somebody asks for them.
struct Path {
    std::size_t n;
    std::vector<std::int64_t> at;  // sweeps, or the state backed up, of every entry
    std::vector<double> values;    // n of every entry; of `prioritized` one, that of the state

    void keep(std::int64_t where, const double* v) {
        at.push_back(where);
        values.insert(values.end(), v, v + n);
    }
};

/// (2) in place where it changes most: the state with the largest change waiting is backed up next and its predecessors are notified
/// (prioritized sweeping, Moore and Atkeson 1993). The predecessors of state s are from[begin[s]..begin[s+1]). Ends when no change above
/// `tol` waits or after `most` backups; returns the backups. O(log n) a backup beside the backup itself.
std::int64_t prioritized(const Process& process, const std::int64_t* begin, const std::int32_t* from, double tol, std::int64_t most,
                         double* v, std::int64_t* choice, Path* path = nullptr);

/// Copy the rows of a policy.
void gather(const Process& process, const std::int64_t* choice, Team& team, Rows& rows);

/// (3) into out.
Change evaluate(const Process& process, const Rows& rows, const double* v, Team& team, double* out);

/// Solve v = T^pi v by BiCGSTAB from v until |T^pi v - v|_inf <= tol or `most` products; returns the products used.
int solve(const Process& process, const Rows& rows, double tol, int most, Team& team, double* v);

/// What `modified` found: see there.
struct Outcome {
    double low, high;  // of the last T*v - v
    std::int64_t sweeps, rounds;
    bool converged;
};

/// Modified policy iteration from v: sweeps (2) with partial evaluations between, until gamma/(1 - gamma) (high - low) <= tol, where low
/// and high bound T*v - v. With `leaks` (rows that sum to less than one) the bounds are widened to hold zero. Leaves T*v in v.
/// The path has the values after every sweep over all actions, and after the evaluation that follows.
Outcome modified(const Process& process, double tol, std::int64_t most, bool leaks, Team& team, double* v, std::int64_t* choice,
                 Path* path = nullptr);

}  // namespace novum::decisions
