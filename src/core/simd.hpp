#pragma once

/// Marks a hot loop that is compiled twice: for every x86-64 and for AVX2, chosen when the program starts.
/// Sanitizers cannot run the resolver, and other compilers lack the attribute; they get the plain version.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define JSDIV_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define JSDIV_SIMD_CLONES
#endif
