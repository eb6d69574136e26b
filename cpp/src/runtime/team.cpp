#include "novum/runtime/team.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "novum/runtime/threads.h"

namespace novum {

namespace {

constexpr int ITEM_BITS = 20;
constexpr std::uint64_t ITEM_MASK = (std::uint64_t(1) << ITEM_BITS) - 1;
constexpr int SPINS = 40000;       // about 100 microseconds: a job follows the last one sooner, and waking a sleeper costs as much
constexpr std::uint32_t RUNS = 8;  // of items that a thread takes while many are left: every taking makes all others read the ticket anew
constexpr int POLITE = 2000;       // spins after which the caller lets others run: a helper may have lost its processor

/// Wait a few cycles. Not the processor's own pause: a virtual machine may take that for a reason to leave the processor.
void pause() {
    for (int i = 0; i < 8; ++i) __asm__ volatile("" ::: "memory");
}

std::atomic<bool> rehearsing{false};
double reading = 0;  // seconds that it takes to read the clock
std::mutex noting;
std::vector<std::vector<double>> noted;

}  // namespace

double rehearse(bool on) {
    constexpr int READINGS = 1000;
    const double start = own_seconds();
    for (int i = 1; i < READINGS; ++i) own_seconds();
    reading = (own_seconds() - start) / READINGS;
    rehearsing.store(on);
    return reading;
}

std::vector<std::vector<double>> rehearsed() {
    const std::lock_guard lock(noting);
    return std::exchange(noted, {});
}

Team::Team(int wanted) : threads(forked() || wanted < 1 ? 1 : wanted), alone(rehearsing.load()) {
    if (alone) return;
    for (int worker = 1; worker < threads; ++worker) helpers.emplace_back([this, worker] { serve(worker); });
}

Team::~Team() {
    open.store(false);
    ticket.fetch_add(std::uint64_t(1) << (2 * ITEM_BITS));  // another job, without items: sleepers look up
    ticket.notify_all();
    for (auto& helper : helpers) helper.join();
}

bool Team::take(int worker) {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    for (;;) {
        const auto next = static_cast<std::uint32_t>(seen & ITEM_MASK), items = static_cast<std::uint32_t>((seen >> ITEM_BITS) & ITEM_MASK);
        if (next >= items) return false;
        const std::uint32_t count = std::max<std::uint32_t>(1, (items - next) / (RUNS * static_cast<std::uint32_t>(threads)));
        if (!ticket.compare_exchange_weak(seen, seen + count, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
        for (std::uint32_t i = 0; i < count; ++i) call(context, first + next + i, worker);
        finished.fetch_add(count, std::memory_order_release);
        return true;
    }
}

/// Do all items, each as the thread whose turn it is: sums that are kept by thread come to as many as they would.
void Team::rehearse(std::uint32_t items) {
    std::vector<double> seconds(items);
    double begin = own_seconds();
    for (std::uint32_t i = 0; i < items; ++i) {
        call(context, first + i, static_cast<int>(i % static_cast<std::uint32_t>(threads)));
        const double end = own_seconds();
        seconds[i] = std::max(0.0, end - begin - reading);
        begin = end;
    }
    const std::lock_guard lock(noting);
    noted.push_back(std::move(seconds));
}

void Team::share(std::uint32_t items) {
    if (alone) return rehearse(items);
    finished.store(0, std::memory_order_relaxed);
    const std::uint64_t job = (ticket.load(std::memory_order_relaxed) >> (2 * ITEM_BITS)) + 1;
    ticket.store(job << (2 * ITEM_BITS) | std::uint64_t(items) << ITEM_BITS, std::memory_order_release);
    ticket.notify_all();
    while (take(0)) {}
    for (int spin = 0; finished.load(std::memory_order_acquire) < items; ++spin) {
        if (spin < POLITE)
            pause();
        else
            std::this_thread::yield();
    }
}

void Team::serve(int worker) {
    int idle = 0;
    while (open.load(std::memory_order_relaxed)) {
        if (take(worker)) {
            idle = 0;
        } else if (++idle < SPINS) {
            pause();
        } else {
            const std::uint64_t seen = ticket.load(std::memory_order_acquire);
            if (open.load() && (seen & ITEM_MASK) >= ((seen >> ITEM_BITS) & ITEM_MASK)) ticket.wait(seen);
        }
    }
}

}  // namespace novum
