#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

void add_log_upkeep(CLI::App& command, host::log_upkeep& upkeep) {
  command
    .add_option("--snapshot-events", upkeep.snapshot_events,
                "Save a running session's state beside the log every this many "
                "events, so that it resumes faster; 0: never. Default 500000")
    ->check(whole_number())
    ->option_text("N");
  command
    .add_option(
      "--log-keep-bytes", upkeep.keep_bytes,
      "When the log is larger than this, remove its first segments (of 64 MiB) "
      "whose sessions have all ended; 0: never. Default 0")
    ->check(whole_number())
    ->option_text("N");
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
    return refuse("the log of one session is one file, of which nothing can "
                  "be removed; leave it out");
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
