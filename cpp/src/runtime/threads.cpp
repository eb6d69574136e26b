#include "novum/runtime/threads.h"

#include <chrono>
#include <ctime>

#if defined(__linux__)
#include <link.h>
#include <sched.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif
#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace novum {

namespace {

bool in_child = false;  // written only by the one thread that a forked child has

#if !defined(_WIN32)
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { in_child = true; });
#endif

}  // namespace

bool forked() noexcept { return in_child; }

int processor() noexcept {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

double own_seconds() noexcept {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t library_changes() noexcept {
#if defined(__linux__)
    std::uint64_t changes = 0;
    // The counters are the same in every entry: the callback returns 1 to stop at the first.
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<std::uint64_t*>(result) = info->dlpi_adds + info->dlpi_subs;
            return 1;
        },
        &changes);
    return changes;
#elif defined(__APPLE__)
    return _dyld_image_count();
#else
    return 0;
#endif
}

}  // namespace novum
