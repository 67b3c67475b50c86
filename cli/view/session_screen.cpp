#include <convene/cli/view/session_screen.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::cli {
namespace {

using protocol::text_of;

/// To the beginning of the line, and wipes all from there on.
constexpr std::string_view wipe = "\r\x1b[J";

/// Shorter work is over before anybody has read who does it.
constexpr std::chrono::seconds worth_telling{1};

} // namespace

session_screen::session_screen(screen_style how,
                               std::function<void(std::string_view)> write,
                               std::function<std::size_t()> columns)
  : how_(how), write_(std::move(write)), columns_(std::move(columns)) {
  // nop
}

void session_screen::hear(std::string_view session, std::string_view who,
                          std::string_view text) {
  if (how_.text)
    arrived_.add(session, who, text);
}

void session_screen::see(const std::string& session, std::string_view lines,
                         clock::time_point now) {
  const std::lock_guard held{mutex_};
  if (over_)
    return;
  auto& of = sessions_.try_emplace(session, shown{timeline{how_.rows}, {}, {}})
               .first->second;
  // What was said before.
  auto rows = arrived_rows();
  while (!lines.empty()) {
    if (const auto event = protocol::parse_json(protocol::cut_line(lines));
        event && event->is_object())
      rows += event_rows(of, event->get_object(), now);
  }
  put(rows, now);
}

/// The row that somebody has begun, ended.
std::string session_screen::end_row(shown& of, const std::string& who) const {
  const auto row = of.said.end(who);
  return row.empty() ? row : of.rows.said(who, row);
}

std::string session_screen::event_rows(shown& of,
                                       const protocol::json::object& event,
                                       clock::time_point now) {
  const auto type = text_of(event, "event_type");
  const auto& payload = protocol::object_of(event, "payload");
  std::string rows;
  // What ends an attempt or an answer ends what was said in it.
  if (type == "action_ended" || type == "MAPTurnCompleted")
    rows = end_row(of, std::string{text_of(payload, "participant_id")});
  else if (type == "MAPBroadcastReceived")
    rows = end_row(of, std::string{text_of(payload, "receiver_participant")});
  of.works.see(event, now);
  return rows + of.rows.show(event);
}

/// Those of what has been said since the last time.
std::string session_screen::arrived_rows() {
  std::string rows;
  for (const auto& piece : arrived_.take()) {
    const auto found = sessions_.find(piece.place);
    // What comes after the answer is no longer part of the session.
    if (found == sessions_.end() || !found->second.works.is_at_work(piece.who))
      continue;
    auto& of = found->second;
    for (const auto& row : of.said.add(piece, of.rows.text_columns()))
      rows += of.rows.said(piece.who, row);
  }
  return rows;
}

/// The lines below the rows, as they are now, without the last line's end.
std::string session_screen::changing_lines(clock::time_point now) const {
  if (!how_.changes || held_ || over_)
    return {};
  const auto columns = std::max<std::size_t>(columns_(), 2) - 1;
  std::string lines;
  std::size_t count = 0;
  std::size_t others = 0;
  for (const auto& [id, of] : sessions_)
    for (const auto& each : of.works.all()) {
      const auto says = of.said.begun(each.who);
      if (says.empty() && now - each.since < worth_telling)
        continue;
      if (++count > changing_max) {
        ++others;
        continue;
      }
      const auto passed
        = std::chrono::duration_cast<std::chrono::seconds>(now - each.since);
      lines += (lines.empty() ? "" : "\n")
               + of.rows.at_work({.name = std::string{each.who},
                                  .seconds = passed.count(),
                                  .does = std::string{each.does},
                                  .says = std::string{says}},
                                 columns);
    }
  if (others > 0)
    lines += '\n' + fit(fmt::format("and {} more", others), columns);
  return lines;
}

/// Puts rows above the lines that change, and these anew if they have. The
/// cursor stays where they begin, so that whatever else is written there, and
/// a terminal that becomes narrower, does no harm for long.
void session_screen::put(const std::string& rows, clock::time_point now) {
  auto lines = changing_lines(now);
  if (rows.empty() && lines == changing_)
    return;
  std::string all{changing_.empty() ? std::string_view{} : wipe};
  all += rows;
  if (!lines.empty()) {
    all += lines + '\r';
    if (const auto up = std::ranges::count(lines, '\n'); up > 0)
      all += fmt::format("\x1b[{}A", up);
  }
  changing_ = std::move(lines);
  write_(all);
}

void session_screen::refresh(clock::time_point now) {
  const std::lock_guard held{mutex_};
  if (over_)
    return;
  put(held_ ? std::string{} : arrived_rows(), now);
}

void session_screen::hold(bool somebody_types) {
  const std::lock_guard held{mutex_};
  held_ = somebody_types;
  if (!over_)
    put({}, clock::now());
}

void session_screen::end() {
  const std::lock_guard held{mutex_};
  if (over_)
    return;
  auto rows = arrived_rows();
  for (auto& [id, of] : sessions_)
    for (const auto& each : of.works.all())
      rows += end_row(of, std::string{each.who});
  over_ = true;
  put(rows, clock::now());
}

} // namespace convene::cli
