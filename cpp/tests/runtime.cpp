// Levels, threads that share items, signals between them, and how a kernel is stopped.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.h"
#include "novum/runtime/block_sums.h"
#include "novum/runtime/build.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/signal.h"
#include "novum/runtime/team.h"

using namespace novum;
using namespace novum::test;

namespace {

struct Width {
    template <int BYTES>
    static int run() {
        return BYTES;
    }
};

std::atomic<int> heard{0};

}  // namespace

TEST(levels_are_what_the_build_says) {
    CHECK(widest<Width>() == simd_bytes());
    CHECK(wide<Width>() == std::min(32, simd_bytes()));
    CHECK(simd_bytes() <= processor_bytes());
    const auto all = levels();
    CHECK(std::find(all.begin(), all.end(), simd_level()) != all.end());
    CHECK(why_not_here().empty());
}

TEST(a_team_does_every_item_once) {
    for (int threads : {1, 2, 5}) {
        Team team(threads);
        CHECK(team.size() == threads);
        for (std::uint32_t items : {0u, 1u, 2u, 3u, 1000u})
            for (int again = 0; again < 50; ++again) {
                std::vector<std::atomic<int>> done(items);
                std::atomic<bool> known{true};
                team.run(items, [&](std::uint32_t item, int worker) {
                    done[item].fetch_add(1);
                    if (worker < 0 || worker >= threads) known = false;
                });
                CHECK(known && std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
            }
    }
}

TEST(a_team_does_more_items_than_a_ticket_counts) {
    Team team(2);
    const std::uint32_t items = (1u << 20) + 7;
    std::vector<std::uint8_t> done(items, 0);
    team.run(items, [&](std::uint32_t item, int) { ++done[item]; });
    CHECK(std::all_of(done.begin(), done.end(), [](std::uint8_t times) { return times == 1; }));
}

TEST(a_rehearsal_notes_every_item) {
    rehearse(true);
    {
        Team team(5);
        std::vector<int> by(12, -1);
        team.run(12, [&](std::uint32_t item, int worker) { by[item] = worker; });
        CHECK(team.size() == 5 && by[0] == 0 && by[4] == 4 && by[5] == 0);
        team.run(1, [](std::uint32_t, int) {});
        Team one(1);
        one.run(3, [](std::uint32_t, int) {});
    }
    rehearse(false);
    const auto jobs = rehearsed();
    CHECK(jobs.size() == 1 && jobs[0].size() == 12);
    CHECK(rehearsed().empty());
}

TEST(block_sums_do_not_depend_on_the_team) {
    const std::size_t n = 103, width = 9001;
    const auto part = [&](std::size_t first, std::size_t end, double* sums) {
        for (std::size_t i = first; i < end; ++i)
            for (std::size_t j = 0; j < width; ++j) sums[j] += 1.0 / static_cast<double>(1 + i * j % 97);
    };
    std::vector<double> one(width), many(width);
    for (std::size_t step : {1u, 7u, 50u, 103u, 200u}) {
        Team alone(1), five(5);
        block_sums(alone, n, step, width, one.data(), part);
        block_sums(five, n, step, width, many.data(), part);
        CHECK(one == many);
    }
    Team team(3);
    bool thrown = false;
    try {
        block_sums(team, n, 1, 1, one.data(), [](std::size_t first, std::size_t, double*) {
            if (first == 60) throw std::runtime_error("one block fails");
        });
    } catch (const std::runtime_error&) { thrown = true; }
    CHECK(thrown);
    block_sums(team, 0, 4, 2, one.data(), part);
    CHECK(one[0] == 0 && one[1] == 0);
}

TEST(a_signal_is_used_up) {
    Signal signal;
    CHECK(!signal.wait(0) && !signal.wait(1e-3));
    signal.post(), signal.post();
    CHECK(signal.wait(0) && signal.wait(0) && !signal.wait(0));
    std::atomic<int> woken{0};
    std::thread sleeper([&] {
        for (int i = 0; i < 3; ++i) woken += signal.wait(10);
    });
    while (signal.asleep() == 0) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) signal.post();
    sleeper.join();
    CHECK(woken == 3 && signal.asleep() == 0);
}

TEST(kernels_stop_by_their_own_flag) {
    interrupt::Flag ours, other;
    auto stopped = [] {
        try {
            interrupt::poll();
        } catch (const interrupt::Stopped&) { return true; }
        return false;
    };
    interrupt::follow(&ours);
    CHECK(!stopped());
    other.raise();
    CHECK(!stopped());
    ours.raise();
    CHECK(stopped() && ours.raised());
    bool elsewhere = true;
    std::thread([&] { elsewhere = stopped(); }).join();  // a flag is followed by the thread that said so
    CHECK(!elsewhere);
    interrupt::Poller<3> poller;
    int calls = 0;
    try {
        for (;;) ++calls, poller.tick();
    } catch (const interrupt::Stopped&) {}
    CHECK(calls == 3);
    interrupt::follow(nullptr);
    CHECK(!stopped());
}

TEST(who_listens_is_called_now_and_then) {
    heard = 0;
    interrupt::listen([] { ++heard; });
    std::thread([] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(120);
        while (std::chrono::steady_clock::now() < end) interrupt::poll();
    }).join();
    interrupt::listen(nullptr);
    CHECK(heard >= 1 && heard <= 3);  // every 50 ms, not at every poll
}
