#pragma once

#include <convene/runtime/runtime.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::c_api {

/// What convene_open is given.
struct open_settings {
  runtime_options runtime;
  /// Ids for which the host answers in sessions on the log.
  std::vector<std::string> participants;
  bool resume_suspended = false;
  bool accept_loss = false;
};

/// Reads the options of convene_open. Errors have pointers into the text.
[[nodiscard]] result<open_settings> read_open_settings(std::string_view text);

/// What convene_subscribe is given.
struct subscription_settings {
  subscription_options how;
  bool texts = false; ///< also those that are streamed
};

[[nodiscard]] result<subscription_settings>
read_subscription(std::string_view text);

/// Reads the participants of convene_start, an array of ids.
[[nodiscard]] result<std::vector<std::string>>
read_participants(std::string_view text);

} // namespace convene::c_api
