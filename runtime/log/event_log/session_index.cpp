#include <convene/runtime/log/event_log/byte_codec.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/session_index.hpp>

#include <utility>

namespace convene::host {
namespace {

using protocol::uuid;

constexpr std::size_t header_bytes = 40; // with its crc
constexpr std::size_t entry_bytes = 48;
constexpr std::uint64_t range_bytes_max = std::uint64_t{1} << 20;

/// The file is a header, a directory of entries in the order of their ids, and
/// the ranges of each session.
struct header {
  group_place end;
  std::uint32_t sessions = 0;
  std::uint32_t directory_crc = 0;
};

struct entry {
  uuid session;
  std::uint64_t at = 0; // in the file
  std::uint32_t bytes = 0;
  std::uint32_t crc = 0;
  std::uint64_t offset = 0; // where the last range ends
  std::uint64_t line = 0;
};

std::string encode(const header& from) {
  std::string bytes{index_magic};
  put_fixed(bytes, from.end.offset);
  put_fixed(bytes, from.end.line);
  put_fixed(bytes, from.end.previous_crc);
  put_fixed(bytes, from.sessions);
  put_fixed(bytes, from.directory_crc);
  put_fixed(bytes, crc32c(bytes));
  return bytes;
}

std::optional<header> decode_header(std::string_view bytes) {
  if (bytes.size() < header_bytes)
    return std::nullopt;
  header into;
  const auto checked = bytes.substr(0, header_bytes - 4);
  byte_source from{
    bytes.substr(index_magic.size(), header_bytes - index_magic.size())};
  std::uint32_t crc = 0;
  if (!from.fixed(into.end.offset) || !from.fixed(into.end.line)
      || !from.fixed(into.end.previous_crc) || !from.fixed(into.sessions)
      || !from.fixed(into.directory_crc) || !from.fixed(crc)
      || !bytes.starts_with(index_magic) || crc != crc32c(checked)
      || into.sessions > index_bytes_max / entry_bytes)
    return std::nullopt;
  return into;
}

void encode(std::string& bytes, const entry& from) {
  put_fixed(bytes, from.session.high);
  put_fixed(bytes, from.session.low);
  put_fixed(bytes, from.at);
  put_fixed(bytes, from.bytes);
  put_fixed(bytes, from.crc);
  put_fixed(bytes, from.offset);
  put_fixed(bytes, from.line);
}

entry decode_entry(std::string_view bytes) {
  entry into;
  byte_source from{bytes};
  static_cast<void>(from.fixed(into.session.high)
                    && from.fixed(into.session.low) && from.fixed(into.at)
                    && from.fixed(into.bytes) && from.fixed(into.crc)
                    && from.fixed(into.offset) && from.fixed(into.line));
  return into;
}

/// The directory's entry for a session, if it has one.
std::optional<entry> find_entry(std::string_view directory,
                                const uuid& session) {
  std::size_t low = 0;
  std::size_t high = directory.size() / entry_bytes;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto found
      = decode_entry(directory.substr(middle * entry_bytes, entry_bytes));
    if (found.session == session)
      return found;
    (found.session < session ? low : high)
      = found.session < session ? middle + 1 : middle;
  }
  return std::nullopt;
}

std::optional<std::vector<event_range>> decode_ranges(std::string_view bytes,
                                                      std::uint64_t end) {
  std::vector<event_range> ranges;
  byte_source from{bytes};
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  while (!from.empty()) {
    event_range one;
    if (!from.number(one.offset) || !from.number(one.bytes)
        || !from.number(one.line) || !from.number(one.lines)
        || !from.fixed(one.crc) || one.offset > end || one.bytes > end)
      return std::nullopt;
    one.offset += offset;
    one.line += line;
    offset = one.offset + one.bytes;
    line = one.line + one.lines;
    if (one.lines == 0 || one.bytes < one.lines || offset > end)
      return std::nullopt;
    ranges.push_back(one);
  }
  return ranges;
}

} // namespace

void session_index::close(session_ranges& ranges) {
  const auto& one = ranges.open;
  if (one.lines == 0)
    return;
  const auto before = ranges.closed.size();
  put_number(ranges.closed, one.offset - ranges.offset);
  put_number(ranges.closed, one.bytes);
  put_number(ranges.closed, one.line - ranges.line);
  put_number(ranges.closed, one.lines);
  put_fixed(ranges.closed, one.crc);
  ranges.offset = one.offset + one.bytes;
  ranges.line = one.line + one.lines;
  ranges.open = {};
  bytes_ += ranges.closed.size() - before;
}

bool session_index::add(const event_line& event) {
  const auto session = session_of(event.text);
  if (!session)
    return true;
  const auto [found, fresh] = sessions_.try_emplace(*session);
  if (fresh)
    bytes_ += entry_bytes + sizeof *found;
  auto& ranges = found->second;
  auto& open = ranges.open;
  if (open.lines == 0 || open.offset + open.bytes != event.offset
      || open.bytes > range_bytes_max) {
    close(ranges);
    open = {.offset = event.offset, .line = event.number};
  }
  open.crc = crc32c("\n", crc32c(event.text, open.crc));
  open.bytes += event.text.size() + 1;
  ++open.lines;
  return bytes_ < index_bytes_max;
}

std::string session_index::encode(const group_place& end) {
  std::string directory;
  auto at = header_bytes + sessions_.size() * entry_bytes;
  for (auto& [id, ranges] : sessions_) {
    close(ranges);
    const auto& list = ranges.closed;
    host::encode(directory, {.session = id,
                             .at = at,
                             .bytes = static_cast<std::uint32_t>(list.size()),
                             .crc = crc32c(list),
                             .offset = ranges.offset,
                             .line = ranges.line});
    at += list.size();
  }
  auto bytes = host::encode(
    header{.end = end,
           .sessions = static_cast<std::uint32_t>(sessions_.size()),
           .directory_crc = crc32c(directory)});
  bytes += directory;
  for (const auto& [id, ranges] : sessions_)
    bytes += ranges.closed;
  return bytes;
}

std::optional<session_index> session_index::decode(std::string_view bytes,
                                                   group_place& end) {
  const auto head = decode_header(bytes);
  if (!head || bytes.size() < header_bytes + head->sessions * entry_bytes)
    return std::nullopt;
  const auto directory = bytes.substr(header_bytes,
                                      head->sessions * entry_bytes);
  if (crc32c(directory) != head->directory_crc)
    return std::nullopt;
  session_index index;
  for (std::size_t i = 0; i < head->sessions; ++i) {
    const auto one = decode_entry(directory.substr(i * entry_bytes));
    if (one.at > bytes.size() || one.bytes > bytes.size() - one.at)
      return std::nullopt;
    const auto list = bytes.substr(one.at, one.bytes);
    if (crc32c(list) != one.crc)
      return std::nullopt;
    index.sessions_.emplace(
      one.session, session_ranges{std::string{list}, one.offset, one.line, {}});
    index.bytes_ += entry_bytes + sizeof *index.sessions_.begin() + list.size();
  }
  end = head->end;
  return index;
}

std::filesystem::path index_path(const std::filesystem::path& segment) {
  auto path = segment;
  return path.replace_extension(".index");
}

std::optional<indexed_session> look_up(const std::filesystem::path& segment,
                                       const uuid& session) {
  const auto index = input_file::open(index_path(segment));
  const auto log = input_file::open(segment);
  if (!index || !log)
    return std::nullopt;
  std::string buffer;
  const auto first = index->read(0, header_bytes, buffer);
  const auto head = first ? decode_header(*first) : std::nullopt;
  if (!head)
    return std::nullopt;
  // Checksums can be made for anything: no more is read than the file has.
  const auto file_size = index->size();
  const auto size = head->sessions * entry_bytes;
  if (!file_size || header_bytes + size > *file_size)
    return std::nullopt;
  const auto made_from = follows_a_group(*log, head->end);
  const auto directory = index->read(header_bytes, size, buffer);
  if (!made_from || !*made_from || !directory || directory->size() != size
      || crc32c(*directory) != head->directory_crc)
    return std::nullopt;
  const auto found = find_entry(*directory, session);
  if (!found)
    return indexed_session{{}, head->end};
  if (found->bytes > index_bytes_max || found->at > *file_size
      || found->bytes > *file_size - found->at)
    return std::nullopt;
  const auto list = index->read(found->at, found->bytes, buffer);
  if (!list || list->size() != found->bytes || crc32c(*list) != found->crc)
    return std::nullopt;
  auto ranges = decode_ranges(*list, head->end.offset);
  if (!ranges)
    return std::nullopt;
  return indexed_session{*std::move(ranges), head->end};
}

} // namespace convene::host
