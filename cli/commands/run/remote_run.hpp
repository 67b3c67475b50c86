#pragma once

#include <convene/cli/commands/run/run_arguments.hpp>
#include <convene/cli/view/session_screen.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace convene::cli {

/// A session that a server has run.
struct followed_session {
  struct closing {
    void operator()(std::FILE* file) const noexcept {
      std::fclose(file);
    }
  };

  /// Writes its events into a new log.
  [[nodiscard]] protocol::result<void>
  write_log(const std::filesystem::path& path) const;

  std::unique_ptr<std::FILE, closing> events; ///< of no folder
  int signal = 0; ///< after which the server runs it on; 0: it has ended
};

/// Has one of the servers of `arguments` run the session, and follows it until
/// its end, through another server where one is lost. After SIGINT or SIGTERM
/// it runs on, and a note says where. `screen` may be null; it is ended.
[[nodiscard]] protocol::result<followed_session>
run_on_servers(const run_arguments& arguments, const session::spec& scenario,
               session_screen* screen);

} // namespace convene::cli
