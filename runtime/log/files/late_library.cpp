#include <convene/runtime/log/files/late_library.hpp>
#include <dlfcn.h>

#include <cstring>
#include <string>

namespace convene::host {

protocol::result<void>
load_library(const char* file, std::initializer_list<late_function> wanted) {
  const auto missing = [file] {
    const char* const why = ::dlerror();
    return protocol::fail(
      {.code = protocol::errc::unsupported,
       .message = std::string{file} + " cannot be loaded: "
                  + (why == nullptr ? "unknown reason" : why),
       .rule = "library_missing"});
  };
  void* const library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr)
    return missing();
  for (const auto& [name, into] : wanted) {
    void* const found = ::dlsym(library, name);
    if (found == nullptr)
      return missing();
    std::memcpy(into, &found, sizeof found);
  }
  return {};
}

} // namespace convene::host
