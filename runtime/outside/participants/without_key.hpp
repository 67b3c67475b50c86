#pragma once

#include <string>

namespace convene::host {

/// `text` with *** in place of the key: a service may repeat what it was sent.
[[nodiscard]] inline std::string without_key(std::string text,
                                             const std::string& key) {
  for (auto at = key.empty() ? text.npos : text.find(key); at != text.npos;
       at = text.find(key, at))
    text.replace(at, key.size(), "***");
  return text;
}

} // namespace convene::host
