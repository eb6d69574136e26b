// What a process must know before it starts threads: whether it was forked, where it runs, and whether new libraries came in. O(1).
#pragma once
#include <cstdint>

namespace novum {

/// Return whether this process is the child of a fork made after the library was loaded: its parent's threads do not exist here,
/// and a runtime that waits for them hangs, so kernels stay on one thread.
bool forked() noexcept;

/// Return the processor that runs the calling thread, or -1 where the system does not tell.
int processor() noexcept;

/// Return the seconds that the calling thread has had a processor, where the system tells, else those of a steady clock.
double own_seconds() noexcept;

/// Return a number that changes whenever a shared library is loaded or unloaded (0 where the system does not tell).
std::uint64_t library_changes() noexcept;

}  // namespace novum
