#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/sources.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// With the place, where the error has none. Failed output is not about an
/// item.
error placed(error what, const std::string& file, std::size_t line) {
  if (what.code == errc::io_failed)
    return what;
  if (what.file.empty())
    what.file = file;
  if (line != 0) {
    what.line = line;
    what.column = std::max<std::size_t>(1, what.column);
  }
  return what;
}

result<void> show_document(const export_source& source, const std::string& file,
                           std::string_view text, const item_visitor& visit) {
  const auto value = parse_json(text, {.bytes = written_document_bytes_max});
  if (!value)
    return fail(placed(value.error(), file, 0));
  if (auto done = visit({source, file, 0, *value}); !done)
    return fail(placed(std::move(done).error(), file, 0));
  return {};
}

/// Shows events, one after the other in the same memory.
class event_parser {
public:
  event_parser(const export_source& source, const item_visitor& visit)
    : source_{source}, visit_{visit} {
    // nop
  }

  result<void> show(const std::string& file, std::size_t line,
                    std::string_view text) {
    const auto event = memory_.parse(text);
    if (!event)
      return fail(placed(event.error(), file, line));
    if (auto done = visit_({source_, file, line, **event}); !done)
      return fail(placed(std::move(done).error(), file, line));
    return {};
  }

private:
  const export_source& source_;
  const item_visitor& visit_;
  json_scratch memory_;
};

/// A log as this program writes it, whose groups have checksums.
bool is_log(const fs::path& file) {
  constexpr std::string_view opening = "{\"log_opened\":";
  std::string first(opening.size(), '\0');
  return std::ifstream{file, std::ios::binary}.read(
           first.data(), static_cast<std::streamsize>(first.size()))
         && first == opening;
}

/// By its name; what is left of a removed one, too.
bool is_segment(const fs::path& file) {
  return is_json_lines(file)
         && file.stem().string().find_first_not_of("0123456789")
              == std::string::npos;
}

result<void> visit_events(const export_source& source,
                          const item_visitor& visit) {
  event_parser events{source, visit};
  const auto files = log_files(source.path);
  if (!files)
    return fail(files.error());
  if (files->size() == 1 && !is_log(files->front())) {
    const auto name = files->front().string();
    return visit_lines(files->front(),
                       [&](std::string_view line,
                           std::size_t number) -> result<void> {
                         if (line.find_first_not_of(" \t\r") == line.npos)
                           return {};
                         return events.show(name, number, line);
                       });
  }
  // A log is read to its end, whatever is found in it.
  std::optional<error> first;
  const auto read = visit_log(source.path, [&](const log_place& place,
                                               std::string_view text) {
    if (first)
      return;
    if (auto done = events.show(place.file, place.number, text); !done)
      first = std::move(done).error();
  });
  if (!read)
    return fail(read.error());
  if (first)
    return fail(*std::move(first));
  return {};
}

} // namespace

result<std::vector<export_source>> export_sources(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    return fail(file_error(errc::unreadable, path,
                           "cannot be read: no such file or folder"));
  if (!fs::is_directory(path, failed))
    return std::vector{
      export_source{path, path.filename().string(), is_json_lines(path)}};
  const auto files = json_files(path);
  if (!files)
    return fail(files.error());
  std::vector<export_source> all;
  const auto logs = log_files(path);
  if (logs)
    all.push_back({path, "events.jsonl", true});
  const auto belongs_to_log = [&](const fs::path& file) {
    return logs
           && (std::ranges::find(*logs, file) != logs->end()
               || (is_segment(logs->front()) && is_segment(file)
                   && file.parent_path() == logs->front().parent_path()));
  };
  for (const auto& file : *files)
    if (!belongs_to_log(file))
      all.push_back({file, file.lexically_relative(path).generic_string(),
                     is_json_lines(file)});
  return all;
}

result<void> visit_items(const export_source& source,
                         const item_visitor& visit) {
  if (source.is_events)
    return visit_events(source, visit);
  const auto text = read_file(source.path, written_document_bytes_max);
  if (!text)
    return fail(text.error());
  return show_document(source, source.path.string(), *text, visit);
}

} // namespace convene::host
