#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace convene::host {

/// What the participants of a seed have answered, whatever its session makes of
/// that, and how long the session's log was then.
class given_answers {
public:
  /// `who` answers the request with this token.
  void note(const std::string& who, const protocol::uuid& token,
            std::size_t log_bytes);

  /// Whether an event that begins at this byte of the log has no reply to a
  /// turn or a broadcast, or one that had been given by then.
  [[nodiscard]] bool explain(const boost::json::object& event,
                             std::size_t at) const;

private:
  /// The first answer of each, by participant and token: a later process asks
  /// again, and what the log had in between may be lost.
  std::map<std::pair<std::string, std::string>, std::size_t> since_;
};

} // namespace convene::host
