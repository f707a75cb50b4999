// Memory of the program as the system counts it, and what to do before it runs out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

namespace iwarp::program {

// Octets that the program has in memory now; 0 where the system does not tell. Costs a system call or three.
[[nodiscard]] std::size_t memory_in_use() noexcept;

// The least limit that can be kept, octets: the program itself takes some 8 MiB.
inline constexpr std::size_t least_memory_limit = 12U << 20U;

// Half of what there is for it: of the machine's memory, of its container's, or of `ulimit -v`, whichever is
// least.
[[nodiscard]] std::size_t default_memory_limit() noexcept;

// Gives memory that was freed back to the system, as far as whole pages are free.
void return_free_memory() noexcept;

// Keeps a reserve from now on: when an allocation fails it is given up, and the allocation tried again. So
// nothing is lost, and there is time to end in good order: memory_ran_out() tells. Where that is not enough
// std::bad_alloc is thrown, the first time with a little memory given back to print what is known. Whatever
// lets it go uncaught ends `program` with a sentence on standard error and exit_failed. Once; any thread may
// allocate.
void keep_memory_reserve(const char* program);
[[nodiscard]] bool memory_ran_out() noexcept;

}  // namespace iwarp::program
