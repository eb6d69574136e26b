// Runs all tests, or those whose names contain the first argument.
#include <chrono>
#include <cstring>

#include "check.h"

int main(int count, char** words) {
    const auto start = std::chrono::steady_clock::now();
    int run = 0, failed = 0;
    for (const auto& entry : novum::test::entries()) {
        if (count > 1 && !std::strstr(entry.name, words[1])) continue;
        const long before = novum::test::failures;
        entry.run();
        ++run;
        if (novum::test::failures == before) continue;
        ++failed;
        std::printf("FAILED %s\n", entry.name);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%d C++ tests, %ld checks, %d failed, %.1f s; vectors of up to %d bytes\n", run, novum::test::checks, failed, took.count(),
                novum::processor_bytes());
    return failed || !run ? 1 : 0;
}
