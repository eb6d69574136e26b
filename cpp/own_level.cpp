// Run by CMake when NOVUM_LEVELS=own: the exit status is the width of this machine's vectors in bytes.
#include "novum/runtime/simd.h"

int main() { return novum::processor_bytes(); }
