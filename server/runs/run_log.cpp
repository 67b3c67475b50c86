#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/run_log.hpp>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

using protocol::result;

constexpr std::string_view before_id = R"({"session_id":")";
constexpr std::string_view before_event = R"(","run_event":)";
constexpr std::size_t id_length = 36;

/// The event of a line, which was split at its seal; nothing: it is none of
/// ours.
std::optional<std::string_view> event_of(const protocol::sealed_text& line) {
  constexpr auto head = before_id.size() + id_length;
  auto text = line.text;
  if (!text.starts_with(before_id) || !text.ends_with('}')
      || text.substr(std::min(head, text.size()), before_event.size())
           != before_event)
    return std::nullopt;
  text.remove_prefix(head + before_event.size());
  return text;
}

bool is_end(std::string_view line) {
  const auto event = event_of(protocol::split_seal(line));
  return event && is_last_event(*event);
}

protocol::error no_run_log(const host::log_place& at) {
  return {.code = protocol::errc::invalid_document,
          .message = "the line is not an event of a run; the folder has "
                     "another log",
          .file = at.file,
          .rule = "not_a_run_log",
          .line = at.number};
}

protocol::error wrong_seal(const host::log_place& at) {
  return {.code = protocol::errc::invalid_document,
          .message = "the line does not have the seal that follows from the "
                     "run's lines before it: the log was edited",
          .file = at.file,
          .rule = "run_seal",
          .line = at.number};
}

} // namespace

std::optional<run_line> read_run_line(std::string_view line) {
  const auto sealed = protocol::split_seal(line);
  const auto event = event_of(sealed);
  const auto run = host::session_of(line);
  if (!event || !run)
    return std::nullopt;
  return run_line{*run, *event, sealed};
}

result<std::unique_ptr<run_log>>
run_log::open(const std::filesystem::path& folder, protocol::durability durable,
              const visitor& visit, const run_log_keeping& keeping) {
  std::error_code failed;
  host::create_private(folder, failed);
  if (failed)
    return protocol::fail(
      host::file_error(protocol::errc::io_failed, folder,
                       "cannot be created: " + failed.message()));
  std::optional<protocol::error> wrong;
  run_seals seals{host::is_trimmed(folder)};
  std::map<protocol::uuid, protocol::error> edited;
  const auto see = [&](const host::log_place& at, std::string_view line) {
    const auto read = read_run_line(line);
    if (!read) {
      if (!wrong)
        wrong = no_run_log(at);
      return;
    }
    const auto& [run, event, sealed] = *read;
    if (!seals.take(run, sealed, event))
      edited.try_emplace(run, wrong_seal(at));
    if (is_last_event(event))
      seals.forget(run);
    visit(run, event);
  };
  host::log_options how{
    // The events of one input are one append, and a run's are 64 MiB at most.
    .buffer_bytes = std::size_t{256} << 20,
    .durability = durable,
    .existing = host::existing_log::append,
    .segment_bytes = keeping.segment_bytes,
    .keep_bytes = keeping.bytes,
    .keep_time = keeping.time,
    .approve = [&]() -> result<void> {
      if (wrong)
        return protocol::fail(*wrong);
      return {};
    },
    .is_end = is_end,
    // An answer, for example, is acknowledged long before the run ends.
    .is_on_record = [](std::string_view) { return true; }};
  if (keeping.removed)
    how.companions.push_back(keeping.removed);
  auto writer = host::event_log_writer::open(folder, how, see);
  if (!writer)
    return protocol::fail(std::move(writer).error());
  return std::unique_ptr<run_log>{new run_log{
    folder, *std::move(writer), std::move(seals), std::move(edited)}};
}

result<host::log_position>
run_log::append(const protocol::uuid& run,
                const std::vector<event_text>& events) {
  const auto id = to_string(run);
  constexpr auto frame = before_id.size() + id_length + before_event.size()
                         + protocol::seal_digits + 16;
  std::size_t bytes = 0;
  for (const auto& event : events)
    bytes += event->size() + frame;
  std::string lines;
  lines.reserve(bytes);
  const std::lock_guard held{mutex_};
  const auto before = seals_.last_of(run);
  for (const auto& event : events) {
    std::string line{before_id};
    line.append(id).append(before_event).append(*event).append(1, '}');
    lines += seals_.seal(run, line);
    lines += '\n';
  }
  auto place = writer_->append(lines, true);
  if (!place)
    seals_.restore(run, before);
  else if (!events.empty() && is_last_event(*events.back()))
    seals_.forget(run);
  return place;
}

std::optional<protocol::error>
run_log::fault_of(const protocol::uuid& run) const {
  const auto found = edited_.find(run);
  if (found == edited_.end())
    return std::nullopt;
  return found->second;
}

result<std::vector<event_text>> run_log::read(const protocol::uuid& run) const {
  std::vector<event_text> events;
  const auto seen = host::visit_session(
    folder_, run, [&](const host::log_place&, std::string_view line) {
      if (const auto event = event_of(protocol::split_seal(line)))
        events.push_back(std::make_shared<const std::string>(*event));
      return true;
    });
  if (!seen)
    return protocol::fail(seen.error());
  if (auto fault = fault_of(run))
    return protocol::fail(*std::move(fault));
  return events;
}

} // namespace convene::server
