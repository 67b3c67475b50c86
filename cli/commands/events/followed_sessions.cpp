#include <convene/cli/commands/events/followed_sessions.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;

/// How many sessions the run has that writes this log: its folder's run.json
/// says so.
std::optional<std::uint32_t> sessions_of(const fs::path& log) {
  std::error_code ignored;
  for (const auto& folder : {log, fs::absolute(log, ignored).parent_path()}) {
    const auto run = host::output_folder::open(folder);
    if (!run || !fs::exists(folder / "run.json", ignored)
        || (folder != log && !fs::equivalent(run->log(), log, ignored)))
      continue;
    if (const auto settings = run->read_settings())
      return settings->instances;
  }
  return std::nullopt;
}

} // namespace

followed_sessions::followed_sessions(fs::path log,
                                     std::optional<protocol::uuid> wanted)
  : log_{std::move(log)}, wanted_{wanted}, expected_{
                                             wanted_ ? 1 : sessions_of(log_)} {
  // nop
}

void followed_sessions::see(std::string_view event) {
  if (!expected_ || !host::is_of_type(event, "MAPSessionCompleted"))
    return;
  const auto id = host::session_of(event);
  if (id && (!wanted_ || *id == *wanted_))
    ended_.insert(*id);
}

protocol::result<void> followed_sessions::look_back() {
  const auto read
    = host::visit_log(log_, [this](const host::log_place&,
                                   std::string_view event) { see(event); });
  if (!read)
    return protocol::fail(read.error());
  return {};
}

bool followed_sessions::is_over() const noexcept {
  return expected_ && ended_.size() >= *expected_;
}

} // namespace convene::cli
