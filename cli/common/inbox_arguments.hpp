#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/client/client.hpp>

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
  bool watch = false;
  std::string token; ///< of `convene inbox answer`
  std::string reply_file;
};

/// Declares where the server is, and which key it gets.
void add_server_options(CLI::App& command, inbox_arguments& arguments);

/// The client that these options describe. The key comes from a file or the
/// environment, since others see command lines.
[[nodiscard]] protocol::result<client>
open_client(const inbox_arguments& arguments);

/// Whose questions they ask for.
[[nodiscard]] question_wish wish_of(const inbox_arguments& arguments);

} // namespace convene::cli
