#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace jsdiv::python {

/// What str() makes of an object, for messages: never fails, whatever the object does.
inline std::string text_of(nanobind::handle object) {
  const auto utf8 = [](PyObject* owned) -> std::string {
    const nanobind::object text = nanobind::steal(owned);
    const char* letters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    if (letters != nullptr) return letters;
    PyErr_Clear();
    return "";
  };
  const std::string plain = utf8(PyObject_Str(object.ptr()));
  return plain.empty() ? utf8(PyObject_ASCII(object.ptr())) : plain;
}

}  // namespace jsdiv::python
