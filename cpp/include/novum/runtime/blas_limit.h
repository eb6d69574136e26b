// BLAS libraries of process-wide thread pools, kept to one thread while anybody asks for it.
//
// Called under Python's global lock, so the counts need no lock of their own.
#pragma once
#include <cstdint>
#include <vector>

namespace novum {

class BlasLimit {
  public:
    using Get = int (*)();
    using Set = void (*)(int);

    struct Library {
        Get get;
        Set set;
        int before = 0;  // threads it had when it was limited; 0: not limited by us
    };

    /// Enter once more; the first to come limits the libraries. Return whether these are all that are loaded.
    bool enter();

    /// Leave; the last to go restores the libraries. Return whether they are all there is to restore.
    bool leave();

    /// Take `found` as the libraries loaded when `library_changes` was `changes`; `all` says that no other kind is among the loaded.
    /// New ones are limited at once if somebody is inside. Once another kind was seen, there is always one.
    void know(const std::vector<Library>& found, std::uint64_t changes, bool all);

    /// In a forked child: forget the threads that do not exist here.
    void after_fork();

    int depth() const noexcept { return total; }
    static int depth_here() noexcept;

  private:
    void limit();
    void restore();

    std::vector<Library> libraries;
    std::uint64_t seen = ~std::uint64_t(0);
    bool complete = true;
    int total = 0;
};

}  // namespace novum
