#pragma once

#include <string>
#include <string_view>

namespace jsdiv {

/// Throws InvalidInput if `path` cannot be written: it exists and `force` is off, or its directory is not
/// there. Called before the work starts, so that an hour's result is not lost to a typo.
void check_output(const std::string& path, bool force);

/// Writes the whole file or none of it: a temporary file beside it, fsync, rename. Throws InvalidInput as
/// above, and when the disk is full.
void write_output(const std::string& path, std::string_view content, bool force);

}  // namespace jsdiv
