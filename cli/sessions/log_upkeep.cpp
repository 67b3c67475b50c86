#include <convene/cli/sessions/log_upkeep.hpp>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

void add_log_upkeep(const command_line& command, host::log_upkeep& upkeep) {
  command.add("--snapshot-events", upkeep.snapshot_events, whole_number());
  command.add("--log-keep-bytes", upkeep.keep_bytes, whole_number());
}

protocol::result<void> apply(const host::log_upkeep& upkeep, bool in_segments,
                             convene::runtime_options& runtime) {
  const auto refuse = [](const char* why) {
    return fail(errc::usage, std::string{"--log-keep-bytes: "} + why,
                "log_keep_bytes");
  };
  runtime.snapshot_events
    = upkeep.snapshot_events.value_or(runtime.snapshot_events);
  runtime.log_keep_bytes = upkeep.keep_bytes.value_or(runtime.log_keep_bytes);
  if (runtime.log_keep_bytes != 0 && runtime.seed)
    return refuse("under virtual time (--seed) nothing of the log can be "
                  "removed; leave one out");
  if (runtime.log_keep_bytes != 0 && !in_segments)
    return refuse("the log of one session is one file: nothing can be "
                  "removed from it; leave it out");
  return {};
}

protocol::result<void> check_kept(protocol::kept_documents documents,
                                  const convene::runtime_options& runtime) {
  if (runtime.log_keep_bytes == 0
      || documents == protocol::kept_documents::ended)
    return {};
  return fail(errc::usage,
              "--documents " + std::string{to_word(documents)}
                + " with --log-keep-bytes: a session without documents whose "
                  "events are removed would leave nothing; leave one out",
              "documents");
}

} // namespace convene::cli
