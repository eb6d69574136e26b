// A counting signal for threads that hand each other short pieces of work: a waiter spins for a moment before it sleeps, because
// waking a sleeper costs as much as a small block of work.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace novum {

class Signal {
  public:
    /// Let one waiter go on.
    void post();
    /// Wait for a post and use it up; give up after `seconds`. Return whether there was one.
    bool wait(double seconds);

    /// How many waiters sleep, and take long to wake.
    int asleep() const noexcept { return sleepers.load(); }

  private:
    bool take() noexcept;
    std::atomic<long> posts{0};
    std::atomic<int> sleepers{0};
    std::mutex mutex;
    std::condition_variable changed;
};

}  // namespace novum
