#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <string>

namespace convene::test {

/// A socket that listens outside of the sandbox.
class listener {
public:
  /// In the file system.
  explicit listener(const std::string& path);
  /// At a port of the loopback that the system chooses.
  listener();

  /// Whether anybody has connected.
  [[nodiscard]] bool was_reached() const;
  /// The next connection, or none after some time.
  [[nodiscard]] host::descriptor wait() const;

  int port = 0;

private:
  host::descriptor socket_;
};

} // namespace convene::test
