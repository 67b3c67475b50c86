#pragma once

#include <convene/runtime/outside/participants/people.hpp>

#include <string>

namespace convene::host {

/// A place where systems are asked, too, and that takes replies to requests
/// that were told elsewhere: a server. Thread-safe.
class reply_desk : public people {
public:
  /// Takes a reply to the request from now on, as `people::ask` does, without
  /// showing it to those who look for requests. Must not block or throw.
  virtual void expect(actors::turn_request asked) = 0;

  /// Shows one that is expected, unless it is over. Must not block or throw.
  virtual void show(const actors::turn_request& asked) = 0;

  /// Where a reply to the request is posted; empty: that is not known.
  [[nodiscard]] virtual std::string
  reply_url(const actors::turn_request& asked) const = 0;
};

} // namespace convene::host
