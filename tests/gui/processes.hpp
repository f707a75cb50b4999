// Whether tests can start processes by Qt's means. ThreadSanitizer's run time ends in a failed check of its
// own where a library that was built without it calls clone(), as QProcess does.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#if defined(__SANITIZE_THREAD__)
#define IWARP_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IWARP_THREAD_SANITIZER 1
#endif
#endif

#ifdef IWARP_THREAD_SANITIZER
#define IWARP_NEEDS_PROCESSES() GTEST_SKIP() << "QProcess does not work under ThreadSanitizer"
#else
#define IWARP_NEEDS_PROCESSES() static_cast<void>(0)
#endif
