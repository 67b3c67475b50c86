#pragma once

#include <boost/json/value.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <string>
#include <string_view>

namespace convene::host {

/// The digest of a single agent's log, in the payload of its last event:
/// SHA-256 of the lines before it, with their ends, and of its own without the
/// digest. It shows that a line was changed alone; there is no key in it.
class log_digest {
public:
  static constexpr std::string_view member = "log_sha256";

  /// The log's next line.
  void add(std::string_view line);

  /// The text of the last event, with the digest.
  [[nodiscard]] std::string sealed(const boost::json::object& last);

  /// The digest up to `last`, which is without it.
  [[nodiscard]] std::string of(const boost::json::object& last);

  /// Takes the digest off an event; empty: it has none.
  static std::string take_off(boost::json::value& event);

private:
  digest before_;
};

} // namespace convene::host
