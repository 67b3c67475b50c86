#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/http/route.hpp>

#include <filesystem>
#include <memory>

namespace convene::cli {

/// The sessions of a server, on the log of its data folder.
class hosted_sessions {
public:
  /// Goes on with the sessions that have not ended.
  [[nodiscard]] static protocol::result<hosted_sessions>
  open(const std::filesystem::path& data, runtime_options how);

  [[nodiscard]] convene::runtime& runtime() const {
    return *runtime_;
  }

  [[nodiscard]] server::routes endpoints() const {
    return {};
  }

  /// Leaves the sessions where they are, for the next `open`, and waits until
  /// that is so.
  void suspend_all() const;

private:
  explicit hosted_sessions(std::unique_ptr<convene::runtime> made)
    : runtime_{std::move(made)} {}

  std::unique_ptr<convene::runtime> runtime_;
};

} // namespace convene::cli
