#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/files/files.hpp>
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

/// The event of a line; nothing: it is none of ours.
std::optional<std::string_view> event_of(std::string_view line) {
  constexpr auto head = before_id.size() + id_length;
  if (!line.starts_with(before_id) || !line.ends_with('}')
      || line.substr(std::min(head, line.size()), before_event.size())
           != before_event)
    return std::nullopt;
  line.remove_prefix(head + before_event.size());
  line.remove_suffix(1);
  return line;
}

protocol::error no_run_log(const host::log_place& at) {
  return {.code = protocol::errc::invalid_document,
          .message = "the line is not an event of a run; the folder has "
                     "another log",
          .file = at.file,
          .rule = "not_a_run_log",
          .line = at.number};
}

} // namespace

result<std::unique_ptr<run_log>>
run_log::open(const std::filesystem::path& folder, protocol::durability durable,
              const visitor& visit) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return protocol::fail(
      host::file_error(protocol::errc::io_failed, folder,
                       "cannot be created: " + failed.message()));
  std::optional<protocol::error> wrong;
  const auto see = [&](const host::log_place& at, std::string_view line) {
    const auto event = event_of(line);
    const auto run = host::session_of(line);
    if (event && run)
      visit(*run, *event);
    else if (!wrong)
      wrong = no_run_log(at);
  };
  const host::log_options how{
    // The events of one input are one append, and a run's are 64 MiB at most.
    .buffer_bytes = std::size_t{256} << 20,
    .durability = durable,
    .existing = host::existing_log::append,
    .segment_bytes = std::uint64_t{64} << 20,
    .approve = [&]() -> result<void> {
      if (wrong)
        return protocol::fail(*wrong);
      return {};
    }};
  auto writer = host::event_log_writer::open(folder, how, see);
  if (!writer)
    return protocol::fail(std::move(writer).error());
  return std::unique_ptr<run_log>{new run_log{folder, *std::move(writer)}};
}

result<host::log_position>
run_log::append(const protocol::uuid& run,
                const std::vector<event_text>& events) {
  const auto id = to_string(run);
  constexpr auto frame = before_id.size() + id_length + before_event.size() + 2;
  std::size_t bytes = 0;
  for (const auto& event : events)
    bytes += event->size() + frame;
  std::string lines;
  lines.reserve(bytes);
  for (const auto& event : events) {
    lines += before_id;
    lines += id;
    lines += before_event;
    lines += *event;
    lines += "}\n";
  }
  return writer_->append(lines, true);
}

result<std::vector<event_text>> run_log::read(const protocol::uuid& run) const {
  std::vector<event_text> events;
  const auto seen = host::visit_session(
    folder_, run, [&](const host::log_place&, std::string_view line) {
      if (const auto event = event_of(line))
        events.push_back(std::make_shared<const std::string>(*event));
      return true;
    });
  if (!seen)
    return protocol::fail(seen.error());
  return events;
}

} // namespace convene::server
