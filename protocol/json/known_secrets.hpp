#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// Texts that must not be repeated, like keys: what comes from a service that
/// was sent one is masked before anything keeps it. Only the text itself is
/// found, not what is made of it (base64, a part of it). A value.
class known_secrets {
public:
  /// A shorter text could be a word like any other, and is not masked.
  static constexpr std::size_t bytes_min = 8;

  /// False: it is too short, or known.
  bool add(std::string_view secret);

  [[nodiscard]] bool empty() const noexcept {
    return all_.empty();
  }

  /// Puts *** in place of each secret, in a value also in names of members.
  /// Returns whether there was one.
  bool mask(std::string& text) const;
  bool mask(boost::json::value& value) const;

private:
  std::vector<std::string> all_; ///< the longest first
};

} // namespace convene::protocol
