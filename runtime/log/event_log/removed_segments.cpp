#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/log/event_log/segments.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view number_start = R"({"log_removed":{"through":)";
constexpr std::string_view crc_start = R"(,"crc32c":")";

/// A log has no more records than segments.
constexpr std::uint64_t file_bytes_max = 999'999 * removal_bytes;

/// Nothing: no removal ever wrote this.
std::optional<removed_segments> parse_record(std::string_view record) {
  auto rest = record;
  if (!rest.starts_with(number_start))
    return std::nullopt;
  rest.remove_prefix(number_start.size());
  removed_segments removed;
  const auto take = [&rest](std::uint32_t& into, int base) {
    const auto [stop, error]
      = std::from_chars(rest.data(), rest.data() + rest.size(), into, base);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return error == std::errc{};
  };
  if (!take(removed.through, 10) || !rest.starts_with(crc_start))
    return std::nullopt;
  rest.remove_prefix(crc_start.size());
  if (!take(removed.last_crc, 16) || removed.through == 0
      || to_record(removed) != record)
    return std::nullopt;
  return removed;
}

} // namespace

std::string to_record(const removed_segments& removed) {
  auto text = std::string{number_start} + std::to_string(removed.through);
  text.append(crc_start).append(to_hex(removed.last_crc)).append("\"}");
  const auto check = crc32c(text);
  text.append(crc_start).append(to_hex(check)).append("\"}");
  text.resize(removal_bytes - 1, ' ');
  return text + '\n';
}

result<removal_records> parse_removals(std::string_view bytes,
                                       const std::string& file) {
  auto whole = bytes.substr(0, bytes.size() / removal_bytes * removal_bytes);
  const std::string never_written(removal_bytes, '\0');
  if (whole.ends_with(never_written))
    whole.remove_suffix(removal_bytes);
  if (whole.empty())
    return removal_records{};
  const auto at = whole.size() - removal_bytes;
  const auto last = parse_record(whole.substr(at));
  if (!last)
    return fail(
      {.code = errc::invalid_document,
       .message = "the record of removed segments is damaged in bytes "
                  + std::to_string(at) + " to " + std::to_string(whole.size())
                  + ": its checksum does not hold",
       .file = file,
       .rule = "log_damaged",
       .line = at / removal_bytes + 1,
       .column = 1});
  return removal_records{*last, whole.size()};
}

result<removed_segments> read_removed(const fs::path& folder) {
  const auto path = folder / removed_file_name;
  std::error_code code;
  if (!fs::exists(path, code))
    return removed_segments{};
  const auto file = input_file::open(path);
  if (!file)
    return fail(file.error());
  const auto size = file->size();
  if (!size)
    return fail(size.error());
  std::string buffer;
  const auto bytes = file->read(0, std::min(*size, file_bytes_max), buffer);
  if (!bytes)
    return fail(bytes.error());
  return parse_removals(*bytes, path.string())
    .map([](const removal_records& records) { return records.last; });
}

bool is_trimmed(const fs::path& path) {
  const auto removed = read_removed(path);
  return removed && removed->through != 0;
}

} // namespace convene::host
