#pragma once

#include <convene/protocol/base/error.hpp>

#include <initializer_list>

namespace convene::host {

/// A function of a shared library, and where its address goes.
struct late_function {
  const char* name;
  void* into; ///< a pointer to the function
};

template <class F>
[[nodiscard]] late_function late(const char* name, F*& into) {
  return {name, &into};
}

/// Loads a library that few runs need, which would cost every start if the
/// program were linked with it. It stays loaded. Not to be called in a child
/// process of a program with threads. Error: `unsupported`, rule
/// `library_missing`, if it or one of the functions is not there.
[[nodiscard]] protocol::result<void>
load_library(const char* file, std::initializer_list<late_function> wanted);

} // namespace convene::host
