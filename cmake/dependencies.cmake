# Everything the library links. docs/dependencies.md says why each one is here.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
# The family xgboost (src/classify/xgboost); its C API only.
pkg_check_modules(XGBOOST REQUIRED IMPORTED_TARGET xgboost>=1.7)
find_path(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h REQUIRED)

set(JSDIV_COMMON_LIBRARIES ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::OPENBLAS)
if(JSDIV_STATIC_DEPENDENCIES)
  find_library(ZLIB_ARCHIVE libz.a REQUIRED)
  find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
  find_library(OPENBLAS_ARCHIVE libopenblas.a HINTS ${OPENBLAS_LIBRARY_DIRS} REQUIRED)
  set(JSDIV_COMMON_LIBRARIES ${ZLIB_ARCHIVE} ${ZSTD_ARCHIVE} ${OPENBLAS_ARCHIVE})
endif()

set(JSDIV_DEPENDENCIES Threads::Threads TBB::tbb ${JSDIV_COMMON_LIBRARIES} PkgConfig::XGBOOST
    $<BUILD_INTERFACE:Eigen3::Eigen> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
