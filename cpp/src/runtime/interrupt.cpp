#include "novum/runtime/interrupt.h"

#include <chrono>

namespace novum::interrupt {

namespace {

constexpr std::chrono::milliseconds PAUSE{50};  // between two looks for signals: to look takes the interpreter's lock

thread_local const Flag* followed = nullptr;
thread_local std::chrono::steady_clock::time_point last{};
std::atomic<void (*)()> heard{nullptr};

}  // namespace

void follow(const Flag* flag) noexcept { followed = flag; }

void listen(void (*ear)()) noexcept { heard.store(ear); }

void poll() {
    if (followed && followed->raised()) throw Stopped();
    const auto ear = heard.load(std::memory_order_relaxed);
    if (!ear) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last < PAUSE) return;
    last = now;
    ear();
}

}  // namespace novum::interrupt
