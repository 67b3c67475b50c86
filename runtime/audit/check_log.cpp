#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/runtime/audit/check_folder.hpp>
#include <convene/runtime/audit/check_log.hpp>
#include <convene/runtime/audit/check_replay.hpp>
#include <convene/runtime/audit/check_workspace.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/log_damage.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Numbers the lines of several files through, and finds back to the file.
class line_numbers {
public:
  std::size_t number(const log_place& place) {
    if (files_.empty() || index_ != place.file_index)
      files_.push_back({place.file, last_});
    index_ = place.file_index;
    last_ = files_.back().before + place.number;
    return last_;
  }

  [[nodiscard]] std::pair<std::string, std::size_t>
  place(std::size_t number, const std::string& otherwise) const {
    if (number == 0)
      return {otherwise, 0};
    const auto next = std::ranges::lower_bound(files_, number, {},
                                               &numbered_file::before);
    const auto& file = *std::prev(next);
    return {file.name, number - file.before};
  }

private:
  struct numbered_file {
    std::string name;
    std::size_t before = 0; ///< lines in the files before this one
  };

  std::vector<numbered_file> files_;
  std::size_t index_ = 0; // of the last file
  std::size_t last_ = 0;
};

/// Adds what a check has found: the first of it, and how much there is.
template <class Check>
void take_findings(log_verdict& all, const Check& from) {
  all.findings_total += from.findings_total();
  all.findings.insert(all.findings.end(), from.findings().begin(),
                      from.findings().end());
}

void add_finding(log_verdict& all, placed_finding found) {
  ++all.findings_total;
  all.findings.push_back(std::move(found));
}

/// What reading the log to its end has shown, or how far it got.
void take_reading(log_verdict& all, const std::string& log,
                  const result<log_summary>& read) {
  if (!read) {
    const auto& damage = read.error();
    add_finding(all, {damage.file,
                      damage.line,
                      {.rule = damage.rule, .message = damage.message}});
    return;
  }
  all.unacknowledged_bytes = read->unacknowledged_bytes;
  all.sessions_cut = read->sessions_cut;
  if (read->sessions_lost != 0)
    add_finding(
      all, {log,
            0,
            {.rule = "session_end_lost",
             .message = std::to_string(read->sessions_lost)
                        + (read->sessions_lost == 1 ? " session" : " sessions")
                        + " that began in removed segments never "
                          "ended"}});
}

} // namespace

result<log_verdict> check_log(const std::string& log, bool allow_unfinished) {
  event_checker checker{{.allow_unfinished = allow_unfinished}};
  line_numbers lines;
  workspace_comparison shared{log};
  folder_comparison folder{log};
  replay_comparison again{
    {.has_documents
     = [&](std::string_view id) { return folder.has_result(id); },
     .on_end =
       [&](const std::string& id, session::report report) {
         folder.ended(id, std::move(report), false);
       }}};
  blob_audit blobs{log};
  json_scratch scratch;
  log_verdict all;
  const auto read
    = visit_sessions(log, [&](const log_place& place, std::string_view text) {
        ++all.events;
        const auto number = lines.number(place);
        const auto head = head_of(text);
        folder.feed(place, head, text);
        blobs.feed(place, text);
        const auto event = scratch.parse(text, head.event_type);
        if (!event)
          return checker.feed_invalid(number, event.error().message);
        checker.feed(number, **event);
        shared.feed(**event);
        again.feed(place, text, **event);
      });
  if (!read && !is_log_damage(read.error()))
    return fail(read.error());
  for (auto& found : checker.finish()) {
    auto [file, line] = lines.place(found.line, log);
    all.findings.push_back({std::move(file), line, std::move(found)});
  }
  all.findings_total = checker.findings_total();
  take_findings(all, shared);
  if (read || read.error().rule == session_end_missing)
    folder.finish(allow_unfinished);
  take_findings(all, folder);
  blobs.finish(read && read->sessions_cut == 0);
  all.blobs = blobs.named();
  all.blobs_unnamed = blobs.unnamed();
  all.findings_total += blobs.findings_total();
  for (const auto& found : blobs.findings())
    all.findings.push_back(place_finding(found));
  const auto recomputed = again.finish(log);
  all.recomputed = recomputed.sessions;
  all.uncompared = recomputed.documents_left;
  all.findings_total += recomputed.findings_total;
  for (const auto& found : recomputed.findings)
    all.findings.push_back(found);
  all.sessions = checker.sessions_total();
  all.undigested = checker.sessions_undigested();
  take_reading(all, log, read);
  return all;
}

} // namespace convene::host
