#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/salvage_sessions.hpp>

namespace convene::host {
namespace {

constexpr std::size_t sessions_named = 10'000;

} // namespace

bool salvaged_sessions::keeps(std::string_view line) {
  const auto id = session_of(line);
  if (!id) {
    ++kept_;
    return true;
  }
  const auto [found, fresh] = sessions_.try_emplace(*id);
  auto& session = found->second;
  if (fresh) {
    session.begun = is_of_type(line, "MAPSessionStarted");
    session.stretch = stretch_;
    session.removed = !session.begun && behind_removed_ && stretch_ == 0;
  }
  if (!session.begun || session.stretch != stretch_) {
    ++session.left_out;
    ++left_out_;
    return false;
  }
  session.ended = session.ended || is_of_type(line, "MAPSessionCompleted");
  ++session.kept;
  ++kept_;
  return true;
}

void salvaged_sessions::finish(salvage_report& report) const {
  report.kept = kept_;
  report.left_out = left_out_;
  for (const auto& [id, session] : sessions_) {
    report.sessions += session.begun ? 1 : 0;
    const bool open = !session.ended && session.stretch != stretch_;
    if (session.removed || (session.begun && !open && session.left_out == 0))
      continue;
    ++report.broken_total;
    if (report.broken.size() < sessions_named)
      report.broken.push_back({id, session.kept, session.left_out});
  }
}

} // namespace convene::host
