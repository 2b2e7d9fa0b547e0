#pragma once

namespace jsdiv::cli {

/// Puts /dev/null in the place of standard descriptors that the parent has closed. Before any file is opened.
void occupy_standard_descriptors();

/// Makes the C library give columns of large tables back to the system when they are freed: it would keep
/// blocks of up to 32 MB for itself, twice the memory of the tables. Smaller blocks are left alone.
void give_back_large_blocks();

/// Signals, once at the start. SIGINT, SIGTERM and SIGHUP, where the parent does not ignore them, ask the
/// jobs to stop; if that takes too long, or on a second signal, the process ends without them, and its
/// temporary files with it. A file that grows too large and a pipe that nobody reads become errors of
/// writing.
void watch_signals();

/// What is printed if the process ends without waiting for the jobs.
void set_interrupted_message(const char* message);

}  // namespace jsdiv::cli
