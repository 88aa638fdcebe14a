// SPDX-License-Identifier: MIT
#pragma once
#include <math.h>
#include <stdio.h>
#include <string.h>

/// @file
/// The whole test framework. A test is `static int claim_as_name(void)`, returns 0 if the claim holds and 1 if not.
/// A test program ends with
///
///     // clang-format off
///     TEST_MAIN(
///         RUN(first_claim)
///         RUN(second_claim)
///     )
///
/// and runs all tests, or only those whose names contain one of its arguments: `test_base arena json`.

/// Leave the test as failed unless the condition is true.
#define ENSURE(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

/// Leave the test as failed unless |value - expected| <= tolerance. NaN is near nothing.
#define ENSURE_NEAR(value, expected, tolerance)                                                                        \
    do {                                                                                                               \
        if (!test_near((value), (expected), (tolerance), __FILE__, __LINE__, #value)) return 1;                        \
    } while (0)

/// Leave the test as failed unless both texts are equal.
#define ENSURE_TEXT(text, expected)                                                                                    \
    do {                                                                                                               \
        if (!test_same((text), (expected), __FILE__, __LINE__, #text)) return 1;                                       \
    } while (0)

static inline int test_near(double value, double expected, double tolerance, const char* file, int line,
                            const char* name)
{
    // equal infinities are near
    if (value == expected || fabs(value - expected) <= tolerance) return 1;
    printf("%s:%d: %s is %.17g, expected %.17g, off by %.3g, allowed %.3g\n", file, line, name, value, expected,
           value - expected, tolerance);
    return 0;
}

static inline int test_same(const char* text, const char* expected, const char* file, int line, const char* name)
{
    if (text && strcmp(text, expected) == 0) return 1;
    printf("%s:%d: %s is\n%s\nexpected\n%s\n", file, line, name, text ? text : "(NULL)", expected);
    return 0;
}

static inline int test_wanted(const char* name, int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return 1;
    return argc < 2;
}

static inline void test_run(const char* name, int (*test)(void), int argc, char** argv, int* ran, int* failed)
{
    if (!test_wanted(name, argc, argv)) return;
    int bad = test();
    printf("%s  %s\n", bad ? "FAIL" : "ok  ", name);
    fflush(stdout);
    *ran += 1;
    *failed += bad != 0;
}

/// Name a test inside TEST_MAIN.
#define RUN(test) test_run(#test, test, argc, argv, &ran, &failed);

/// Define main() of a test program. Exit status 1 if a test fails or none ran.
#define TEST_MAIN(runs)                                                                                                \
    int main(int argc, char** argv)                                                                                    \
    {                                                                                                                  \
        int ran = 0, failed = 0;                                                                                       \
        runs printf("%d of %d claims hold\n", ran - failed, ran);                                                      \
        return failed > 0 || ran == 0;                                                                                 \
    }
