#include <boost/json/serialize.hpp>
#include <convene/cli/common/event_file.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/files/append_file.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <unistd.h>

#include <array>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using host::file_error;

/// How each of our lines begins; the first line of a session log does not.
constexpr std::string_view line_start = R"({"event_id":)";

/// Whether the file is empty, or whole lines of events.
bool holds_events(int file, std::int64_t size) {
  if (size == 0)
    return true;
  std::array<char, line_start.size()> first{};
  char last = 0;
  return ::pread(file, first.data(), first.size(), 0)
           == static_cast<ssize_t>(first.size())
         && std::string_view{first.data(), first.size()} == line_start
         && ::pread(file, &last, 1, size - 1) == 1 && last == '\n';
}

} // namespace

result<event_file> event_file::open(const std::filesystem::path& file) {
  const auto target = host::append_file::open(file);
  if (!target)
    return fail(target.error());
  if (!holds_events(target->get(), target->bytes()))
    return fail(file_error(errc::usage, file,
                           "is not a file of whole lines with an event each, "
                           "as this command writes it; name a new one",
                           "event_file"));
  return event_file{*target};
}

result<void> event_file::append(const lifecycle_events& events,
                                timestamp_ms at) const {
  auto ids = uuid_source::from_entropy();
  std::string lines;
  for (const auto& one : events)
    lines += json::serialize(core_event(one, ids.next(), at)) + '\n';
  return file_.append(lines);
}

result<void> append_events(const std::filesystem::path& file,
                           const lifecycle_events& events, timestamp_ms at) {
  if (file.empty())
    return {};
  return event_file::open(file).and_then(
    [&](const event_file& opened) { return opened.append(events, at); });
}

} // namespace convene::cli
