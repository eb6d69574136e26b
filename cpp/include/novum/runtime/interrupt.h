// How a kernel that runs for long is stopped: by its caller's flag, or by Ctrl-C. Loops ask now and then; whoever wants an end gets it
// within a fraction of a second. What the kernel was writing is left half done, so its caller throws it away.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>

namespace novum::interrupt {

/// Thrown out of a kernel whose flag is up.
class Stopped : public std::exception {
  public:
    const char* what() const noexcept override { return "novum: stopped, because what this was for has ended"; }
};

/// Raised by one thread to stop the kernels of others.
class Flag {
  public:
    void raise() noexcept { up.store(true, std::memory_order_relaxed); }
    bool raised() const noexcept { return up.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> up{false};
};

/// The flag that kernels of the calling thread look at from now on, or null.
void follow(const Flag* flag) noexcept;

/// What the kernels of every thread call a few times a second: it throws if they shall stop. Set once, by whoever knows about signals.
void listen(void (*ear)()) noexcept;

/// Throw if the calling thread's kernel shall stop. A few tens of nanoseconds.
void poll();

/// Poll at every `EVERY`-th call.
template <std::size_t EVERY>
class Poller {
  public:
    void tick() {
        if (++calls % EVERY == 0) poll();
    }

  private:
    std::size_t calls = 0;
};

}  // namespace novum::interrupt
