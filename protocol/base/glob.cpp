#include <convene/protocol/base/glob.hpp>

#include <cstddef>

namespace convene::protocol {

bool matches_glob(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  // Where the latest `*` is, and how far it reaches.
  auto star = pattern.npos;
  std::size_t reach = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reach = t;
    } else if (p < pattern.size()
               && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++reach;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

} // namespace convene::protocol
