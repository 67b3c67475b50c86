#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t records_kept = 2;

/// Nothing: this was not written whole.
std::optional<ended_mark> parse_ended_record(std::string_view record) {
  const auto line = record.substr(0, record.find("}}") + 2);
  auto mark = parse_ended_mark(line);
  if (!mark || to_record(*mark) != record)
    return std::nullopt;
  return mark;
}

/// Whether the log reached further with `one` than with `other`.
bool is_later(const ended_mark& one, const ended_mark& other) {
  return std::pair{one.segment, one.bytes}
         > std::pair{other.segment, other.bytes};
}

} // namespace

std::string to_record(const ended_mark& mark) {
  auto text = to_line(mark);
  text += ' ' + to_hex(crc32c(text));
  text.resize(ended_record_bytes - 1, ' ');
  return text + '\n';
}

result<ended_records> parse_ended(std::string_view bytes,
                                  const std::string& file) {
  ended_records found;
  std::size_t unfit = 0;
  for (std::size_t i = 0; i < records_kept; ++i) {
    const auto at = i * ended_record_bytes;
    const auto record = bytes.substr(std::min(at, bytes.size()),
                                     ended_record_bytes);
    const auto mark = parse_ended_record(record);
    if (mark && (!found.last || is_later(*mark, *found.last))) {
      found.last = mark;
      found.next = 1 - i;
    }
    unfit += !mark && record.find_first_not_of('\0') != record.npos ? 1 : 0;
  }
  if (unfit == records_kept)
    return fail({.code = errc::invalid_document,
                 .message = "the record of ended sessions is damaged: neither "
                            "of its two checksums holds",
                 .file = file,
                 .rule = "log_damaged",
                 .line = 1,
                 .column = 1});
  return found;
}

result<ended_records> read_ended(const fs::path& folder) {
  // A writer may be replacing one of the records.
  constexpr int looks_max = 3;
  const auto path = folder / ended_file_name;
  std::error_code code;
  if (!fs::exists(path, code))
    return ended_records{};
  const auto file = input_file::open(path);
  if (!file)
    return fail(file.error());
  result<ended_records> found;
  for (int look = 0; look < looks_max; ++look) {
    std::string buffer;
    const auto bytes = file->read(0, records_kept * ended_record_bytes, buffer);
    if (!bytes)
      return fail(bytes.error());
    found = parse_ended(*bytes, path.string());
    if (found)
      break;
  }
  return found;
}

tl::unexpected<protocol::error> lost_end(const ended_mark& mark,
                                         const fs::path& folder) {
  return fail(file_error(
    errc::invalid_document, folder / segment_name(mark.segment),
    "the log has lost what was acknowledged: it reached byte "
      + std::to_string(mark.bytes) + " of segment "
      + std::to_string(mark.segment) + ", with an event of session or run "
      + mark.session_id + " before it, and that is not there",
    session_end_missing));
}

ended_file::ended_file(storage& files, fs::path folder,
                       const ended_records& found)
  : files_{&files}, folder_{std::move(folder)}, next_{found.next} {
  // nop
}

result<void> ended_file::write(const ended_mark& mark, bool sync) {
  const bool is_new = !file_;
  const auto path = folder_ / ended_file_name;
  if (is_new) {
    auto opened = log_file::open(*files_, path);
    if (!opened)
      return fail(std::move(opened).error());
    file_ = *std::move(opened);
  }
  if (auto written = file_->write_over(next_ * ended_record_bytes,
                                       to_record(mark));
      !written)
    return written;
  next_ = 1 - next_;
  if (!sync)
    return {};
  if (auto synced = file_->sync(); !synced)
    return synced;
  return is_new ? sync_names(*files_, path) : result<void>{};
}

result<void> ended_file::remove(bool sync) {
  const auto path = folder_ / ended_file_name;
  if (const auto gone = files_->remove(path); !gone)
    return storage_failed(path, "removing the record of ended sessions",
                          gone.error());
  next_ = 0;
  return sync ? sync_names(*files_, path) : result<void>{};
}

} // namespace convene::host
