#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <optional>
#include <stop_token>
#include <string>

namespace convene::cli {

/// The options of `convene inbox`, as they were given.
struct inbox_arguments {
  std::string server = client_options{}.server;
  std::string key_file;
  std::string key_env; ///< empty: CONVENE_KEY, if it is set
  std::string ca;
  bool key_in_clear = false;
  std::string participant;
  std::string session;
  std::string run;
  std::string kind; ///< of interrupts of runs
  bool watch = false;
  std::string token; ///< of `convene inbox answer`
  std::string reply_file;
};

/// Declares which key a server gets, and whom it is trusted by.
void add_key_options(const command_line& command, inbox_arguments& arguments);

/// The same, where the server is, and whose questions are asked for.
void add_server_options(const command_line& command,
                        inbox_arguments& arguments);

/// How the server is called. The key comes from a file or the environment,
/// since others see command lines.
[[nodiscard]] protocol::result<client_options>
client_options_of(const inbox_arguments& arguments);

/// The client that these options describe.
[[nodiscard]] protocol::result<client>
open_client(const inbox_arguments& arguments);

/// Which questions they ask for: those of sessions and those of runs.
struct inbox_wish {
  std::optional<question_wish> of_sessions;
  std::optional<interrupt_wish> of_runs;
};
[[nodiscard]] inbox_wish wish_of(const inbox_arguments& arguments);

/// What is open of both. A server without runs has none of theirs, and so has
/// the key of a single person.
struct inbox_found {
  open_questions of_sessions;
  open_run_interrupts of_runs;
};
[[nodiscard]] protocol::result<inbox_found>
look_into(const client& server, const inbox_wish& wish,
          const std::stop_token& stop = {});

} // namespace convene::cli
