#include "novum/runtime/blas_limit.h"

#include <algorithm>

#include "novum/runtime/threads.h"

namespace novum {

namespace {

thread_local int entered = 0;  // how often this thread is inside

}  // namespace

int BlasLimit::depth_here() noexcept { return entered; }

bool BlasLimit::enter() {
    ++entered;
    if (total++ == 0) limit();
    return complete && seen == library_changes();
}

bool BlasLimit::leave() {
    if (entered > 0) --entered;  // a generator may leave in another thread than it entered
    if (total > 0 && --total == 0) restore();
    return complete;
}

void BlasLimit::know(const std::vector<Library>& found, std::uint64_t changes, bool all) {
    for (Library library : found) {
        const bool known = std::any_of(libraries.begin(), libraries.end(), [&](const Library& old) { return old.set == library.set; });
        if (!known) libraries.push_back(library);
    }
    seen = changes;
    complete = complete && all;
    if (total > 0) limit();
}

void BlasLimit::after_fork() {
    total = entered;
    if (total == 0) restore();
}

void BlasLimit::limit() {
    for (Library& library : libraries) {
        const int threads = library.get();
        if (threads == 1) continue;
        library.before = threads;
        library.set(1);
    }
}

void BlasLimit::restore() {
    for (Library& library : libraries) {
        if (library.before == 0) continue;
        library.set(library.before);
        library.before = 0;
    }
}

}  // namespace novum
