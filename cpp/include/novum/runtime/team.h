// A few threads that share the items of short jobs: for kernels whose parallel steps are too short to pass through Python.
//
// Helpers never wait for each other and the caller never waits for a helper that has not begun: whoever is free takes the next item, so
// a thread that the system holds back costs time and nothing else. Jobs must not depend on who does which item.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace novum {

class Team {
  public:
    /// Start `threads - 1` helpers; they sleep when idle and end with the object.
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const noexcept { return threads; }

    /// Call job(item, worker) for every item of 0..items-1; worker is below size(). Jobs do not throw.
    template <class Job>
    void run(std::uint32_t items, Job&& job) {
        if (items <= 1 || threads == 1) {
            for (std::uint32_t i = 0; i < items; ++i) job(i, 0);
            return;
        }
        call = [](void* context, std::uint32_t item, int worker) { (*static_cast<std::remove_reference_t<Job>*>(context))(item, worker); };
        context = const_cast<void*>(static_cast<const void*>(&job));
        for (first = 0; items - first > MOST; first += MOST) share(MOST);
        share(items - first);
    }

  private:
    static constexpr std::uint32_t MOST = 1u << 19;  // items that are shared at a time: their numbers have 20 bits

    void share(std::uint32_t items);
    void rehearse(std::uint32_t items);
    void serve(int worker);
    bool take(int worker);

    int threads;
    bool alone;  // a rehearsal: the caller plays all threads
    void (*call)(void*, std::uint32_t, int) = nullptr;
    void* context = nullptr;
    std::uint32_t first = 0;  // the item whose number on the ticket is zero
    // Number of the job (24 bits), its items (20) and the next of them (20) in one word: a helper that comes late cannot take an item of
    // a job that is over, and what it reads after taking one belongs to that job.
    alignas(64) std::atomic<std::uint64_t> ticket{0};  // on a line of its own: idle helpers read it all the time
    alignas(64) std::atomic<std::uint32_t> finished{0};
    alignas(64) std::atomic<bool> open{true};
    std::vector<std::thread> helpers;
};

/// Let teams that are made from now on start no helpers: the caller does the items of all threads, one after the other, and their times
/// are noted (tools/span.py); or end that. Return the seconds that it takes to read the clock, which an item's own do not contain.
double rehearse(bool on);

/// Return the seconds of every item of every job that was noted since the last call, in time of the thread's own.
std::vector<std::vector<double>> rehearsed();

}  // namespace novum
