#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace jsdiv::python {

/// A numpy array that owns `values`.
template <typename T>
nanobind::object array_of(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned,
                          [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(owned->data(), {owned->size()}, owner));
}

/// A numpy array in C order, [rows, cols], that owns `values`.
template <typename T>
nanobind::object matrix_of(std::vector<T> values, std::size_t rows, std::size_t cols) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned,
                          [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(owned->data(), {rows, cols}, owner));
}

}  // namespace jsdiv::python
