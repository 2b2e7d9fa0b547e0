# Writes OUTPUT, a C++ source that holds the files of NAMES (relative to ROOT) as bytes; see core/embedded_files.hpp.
set(arrays "")
set(rows "")
set(index 0)
foreach(name IN LISTS NAMES)
  file(READ "${ROOT}/${name}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char file_${index}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(file_${index}), sizeof file_${index} - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"core/embedded_files.hpp\"

namespace jsdiv {
namespace {

${arrays}
}  // namespace

std::span<const EmbeddedFile> embedded_files() {
  static const EmbeddedFile files[] = {
${rows}  };
  return files;
}

}  // namespace jsdiv
")
