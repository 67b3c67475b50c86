#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/runtime/single_agent/log_digest.hpp>
#include <convene/session/single_agent/arrangement.hpp>

#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr const char* events_file = "events.jsonl";
constexpr const char* result_file = "result.json";

result<json::object> read_document(const fs::path& file) {
  auto read = read_json(file);
  if (!read)
    return fail(std::move(read).error());
  if (!read->is_object())
    return fail(file_error(errc::invalid_document, file,
                           "must hold a JSON object", "type"));
  return std::move(read->get_object());
}

std::vector<std::pair<const char*, const json::object*>>
files_of(const agent_run& run, const json::object& trace) {
  std::vector<std::pair<const char*, const json::object*>> all{
    {"context.json", &run.context},
    {"plan.json", &run.plan},
    {"trace.json", &trace}};
  if (run.confirm)
    all.emplace_back("confirm.json", &*run.confirm);
  return all;
}

/// Beside the log until it is whole.
result<void> write_events(const fs::path& folder, const agent_run& run) {
  const auto file = folder / events_file;
  auto unfinished = file;
  unfinished += unfinished_ending;
  std::error_code failed;
  fs::remove(unfinished, failed);
  auto log = event_log_writer::open(unfinished,
                                    {.closes_by = group_end::content,
                                     .durability = durability::group});
  if (!log)
    return fail(std::move(log).error());
  log_digest sums;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const bool is_last = i + 1 == run.events.size();
    const auto line = is_last ? sums.sealed(run.events[i])
                              : std::string{run.events.line(i)};
    if (!is_last)
      sums.add(line);
    if (auto added = (*log)->append(line + '\n'); !added)
      return fail(std::move(added).error());
  }
  if (auto closed = (*log)->close(); !closed)
    return closed;
  fs::rename(unfinished, file, failed);
  if (failed)
    return fail(file_error(errc::io_failed, file, "cannot be written", failed));
  return {};
}

/// As it is once it has been written and read again.
json::value as_written(const json::object& document) {
  return parse_json(pretty(document)).value_or(json::value(document));
}

/// Whether a line of the file says what the run's own does.
bool is_same(std::string_view line, std::string_view own) {
  if (line == own)
    return true;
  auto event = parse_json(line);
  if (!event)
    return false;
  log_digest::take_off(*event); // which check_agent_log judges
  return *event == parse_json(own).value_or(json::value{});
}

std::string event_difference(const fs::path& file, const agent_run& run) {
  std::size_t next = 0;
  std::string wrong;
  const auto read
    = visit_log(file, [&](const log_place& place, std::string_view line) {
        if (!wrong.empty())
          return;
        if (next == run.events.size() || !is_same(line, run.events.line(next)))
          wrong = "line " + std::to_string(place.number)
                  + " is not what the session's log makes";
        ++next;
      });
  if (!read)
    return read.error().message;
  if (wrong.empty() && next != run.events.size())
    wrong = "has " + std::to_string(next) + " events, the session's log makes "
            + std::to_string(run.events.size());
  return wrong;
}

} // namespace

fs::path session_folder_of(const fs::path& run) {
  return run / "session";
}

bool is_agent_folder(const fs::path& folder) {
  std::error_code failed;
  return !fs::exists(folder / "run.json", failed)
         && fs::exists(session_folder_of(folder) / "run.json", failed);
}

result<agent_run> read_agent_run(const fs::path& folder) {
  const auto session = session_folder_of(folder);
  agent_recorder recorder;
  const auto read = visit_log(session / events_file,
                              [&](const log_place&, std::string_view line) {
                                // It may have been written by anybody.
                                const auto event = parse_json(line);
                                if (event && event->is_object())
                                  recorder.feed(event->get_object());
                              });
  if (!read)
    return fail(read.error());
  auto context = read_document(session / "context.json");
  auto plan = read_document(session / "plan.json");
  auto result = read_document(session / result_file);
  for (const auto* each : {&context, &plan, &result})
    if (!*each)
      return fail(each->error());
  std::optional<json::object> confirm;
  std::error_code failed;
  if (fs::exists(session / "confirm.json", failed)) {
    auto found = read_document(session / "confirm.json");
    if (!found)
      return fail(std::move(found).error());
    confirm = *std::move(found);
  }
  return decode<protocol::plan>(*plan).and_then([&](const auto& executed) {
    return std::move(recorder).finish(*std::move(context), *std::move(plan),
                                      executed, std::move(confirm),
                                      *std::move(result));
  });
}

result<void> write_agent_run(const fs::path& folder, const agent_run& run) {
  const auto trace = run.trace();
  for (const auto& [name, document] : files_of(run, trace))
    if (auto written = write_file(folder / name, pretty_object(*document));
        !written)
      return written;
  if (auto written = write_events(folder, run); !written)
    return written;
  return write_file(folder / result_file, pretty_object(run.result));
}

std::vector<error> differences(const fs::path& folder, const agent_run& run) {
  std::vector<error> found;
  std::error_code failed;
  if (!fs::exists(folder / result_file, failed))
    return found;
  const auto note = [&](const char* name, std::string message) {
    found.push_back(file_error(errc::invalid_document, folder / name,
                               std::move(message), "document_matches_log"));
  };
  const auto trace = run.trace();
  auto files = files_of(run, trace);
  files.emplace_back(result_file, &run.result);
  for (const auto& [name, document] : files) {
    const auto read = read_document(folder / name);
    if (!read)
      note(name, read.error().message);
    else if (json::value(*read) != as_written(*document))
      note(name, "is not what the session's log makes");
  }
  if (auto wrong = event_difference(folder / events_file, run); !wrong.empty())
    note(events_file, std::move(wrong));
  return found;
}

} // namespace convene::host
