#include "novum/runtime/signal.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace novum {

namespace {

constexpr std::chrono::microseconds SPIN{100};  // about twice what it takes to wake a sleeping thread on a virtual machine
constexpr int TURNS = 32;                       // between two looks at the clock

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

bool Signal::take() noexcept {
    long seen = posts.load();
    while (seen > 0)
        if (posts.compare_exchange_weak(seen, seen - 1)) return true;
    return false;
}

void Signal::post() {
    posts.fetch_add(1);
    if (sleepers.load() == 0) return;       // one who is about to sleep counts itself first and looks again: it sees this post
    { const std::lock_guard lock(mutex); }  // it sleeps by now; notified without the lock, it need not wait for it
    changed.notify_one();
}

bool Signal::wait(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    do {
        for (int turn = 0; turn < TURNS; ++turn) {
            if (take()) return true;
            relax();
        }
    } while (std::chrono::steady_clock::now() - start < SPIN);
    std::unique_lock lock(mutex);
    sleepers.fetch_add(1);
    const bool posted = changed.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return take(); });
    sleepers.fetch_sub(1);
    return posted;
}

}  // namespace novum
