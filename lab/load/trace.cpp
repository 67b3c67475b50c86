#include <convene/lab/load/trace.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

bool is_log(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fs::exists(path / "events.jsonl", ignored)
           || fs::is_directory(path / "log", ignored)
           || fs::exists(path / "000001.jsonl", ignored);
  if (!fs::is_regular_file(path, ignored))
    return false;
  constexpr std::string_view opening = R"({"log_opened")";
  std::string begins(opening.size(), '\0');
  std::ifstream{path}.read(begins.data(),
                           static_cast<std::streamsize>(begins.size()));
  return begins == opening;
}

result<void> add_text(load_trace& to, std::string_view text,
                      const fs::path& file, std::size_t line) {
  auto added = parse_json(text).and_then(
    [&](const boost::json::value& value) -> result<void> {
      if (!value.is_object())
        return fail(errc::invalid_document,
                    "a recorded session is a JSON object", "trace_invalid");
      return add_recorded(to, value.get_object());
    });
  if (!added) {
    auto& why = added.error();
    why.file = file.string();
    if (line != 0) {
      why.line = line;
      why.column = std::max<std::size_t>(why.column, 1);
    }
  }
  return added;
}

result<void> add_file(load_trace& to, const fs::path& file) {
  if (is_json_lines(file))
    return visit_lines(file, [&](std::string_view text, std::size_t number) {
      return text.find_first_not_of(" \t\r") == text.npos
               ? result<void>{}
               : add_text(to, text, file, number);
    });
  return read_file(file).and_then(
    [&](const std::string& text) { return add_text(to, text, file, 0); });
}

result<void> add_folder(load_trace& to, const fs::path& folder) {
  const auto files = json_files(folder);
  if (!files)
    return fail(files.error());
  for (const auto& file : *files)
    if (auto added = add_file(to, file); !added)
      return added;
  return {};
}

} // namespace

std::int64_t bounded_ms(double milliseconds) noexcept {
  const auto most
    = std::chrono::duration<double, std::milli>(std::chrono::hours{24}).count();
  return milliseconds > 0
           ? static_cast<std::int64_t>(std::min(milliseconds, most))
           : 0;
}

std::int64_t cut_text(load_trace& of, double bytes) noexcept {
  if (!(bytes > 0))
    return 0;
  if (bytes <= static_cast<double>(trace_text_bytes_max))
    return static_cast<std::int64_t>(bytes);
  ++of.texts_cut;
  return trace_text_bytes_max;
}

result<void> add_session(load_trace& to, trace_session&& what) {
  if (what.exchanges.empty())
    return {};
  to.exchanges += what.exchanges.size();
  if (to.exchanges > trace_exchanges_max)
    return fail(errc::limit_reached,
                "a trace has at most 1,000,000 turns in all",
                "trace_exchanges_max");
  if (to.sessions.size() == trace_sessions_max)
    return fail(errc::limit_reached, "a trace has at most 100,000 sessions",
                "trace_sessions_max");
  to.sessions.push_back(std::move(what));
  return {};
}

result<load_trace> read_trace(const fs::path& path) {
  load_trace made;
  std::error_code ignored;
  auto read = is_log(path)                      ? add_logged(made, path)
              : fs::is_directory(path, ignored) ? add_folder(made, path)
                                                : add_file(made, path);
  if (!read)
    return fail(std::move(read).error());
  if (made.sessions.empty())
    return fail(file_error(errc::invalid_document, path,
                           "has no recorded session with a turn",
                           "trace_invalid"));
  std::ranges::stable_sort(made.sessions, {}, &trace_session::start);
  const auto first = made.sessions.front().start;
  for (auto& one : made.sessions)
    one.start -= first;
  return made;
}

} // namespace convene::host
