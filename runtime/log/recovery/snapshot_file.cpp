#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/recovery/snapshot_file.hpp>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

/// Of the file's form, and of what a session's state is made of.
constexpr std::int64_t format = 5;

auto refuse(std::string why) {
  return fail(errc::invalid_document,
              "this is not a snapshot: " + std::move(why), "snapshot");
}

/// The checksum as its line has it: eight digits.
std::string checksum_line(std::string_view text) {
  return hex_of(crc32c(text), 8) + '\n';
}

} // namespace

std::optional<fs::path> snapshot_path(const fs::path& log,
                                      std::string_view session_id) {
  const auto id = parse_uuid(session_id);
  if (!id || log.empty())
    return std::nullopt;
  std::error_code none;
  auto folder = log / "snapshots";
  if (!fs::is_directory(log, none))
    folder = fs::path{log}.replace_extension(".snapshots");
  return folder / (to_string(*id) + ".snapshot");
}

std::string encode(const session_snapshot& what) {
  std::string made
    = json::serialize(json::object{{"snapshot", format},
                                   {"session_id", what.session_id},
                                   {"events", what.events},
                                   {"segment", what.segment},
                                   {"line", what.line},
                                   {"last", what.last_digest}});
  made += '\n';
  made += what.started;
  made += '\n';
  made += json::serialize(what.state);
  made += '\n';
  return made + checksum_line(made);
}

result<session_snapshot> decode_snapshot(std::string_view bytes) {
  constexpr std::size_t crc_size = 9;
  if (bytes.size() > snapshot_bytes_max)
    return refuse("it is too large");
  if (bytes.size() <= crc_size)
    return refuse("it is too short");
  auto left = bytes.substr(0, bytes.size() - crc_size);
  if (bytes.substr(left.size()) != checksum_line(left))
    return refuse("its checksum is wrong");
  const auto head = parse_json(cut_line(left));
  const auto started = cut_line(left);
  const auto state = cut_line(left);
  if (!head || !head->is_object() || !left.empty())
    return refuse("it has other lines than it should");
  const auto& about = head->get_object();
  if (integer_of(about, "snapshot") != format)
    return refuse("another version of convene has written it");
  const auto number = [&](std::string_view name) -> std::uint64_t {
    const auto found = integer_of(about, name);
    return found && *found > 0 ? static_cast<std::uint64_t>(*found) : 0;
  };
  const auto segment = number("segment");
  if (segment > std::numeric_limits<std::uint32_t>::max())
    return refuse("it is of a segment that no log has");
  session_snapshot made{
    .session_id = std::string{protocol::text_of(about, "session_id")},
    .events = number("events"),
    .segment = static_cast<std::uint32_t>(segment),
    .line = number("line"),
    .last_digest = std::string{protocol::text_of(about, "last")},
    .started = std::string{started}};
  if (made.events == 0 || made.segment == 0 || made.line == 0)
    return refuse("it covers nothing");
  auto parsed = parse_json(state, {.bytes = snapshot_bytes_max,
                                   .string_bytes = snapshot_bytes_max});
  if (!parsed)
    return refuse(parsed.error().message);
  made.state = *std::move(parsed);
  return made;
}

result<std::size_t> write_snapshot(const fs::path& log,
                                   const session_snapshot& what) {
  const auto path = snapshot_path(log, what.session_id);
  const auto bytes = encode(what);
  if (!path || bytes.size() > snapshot_bytes_max)
    return refuse("it is too large, or of a session without a UUID");
  std::error_code failed;
  create_private(path->parent_path(), failed);
  return write_file(*path, bytes, synced::yes).map([&] {
    return bytes.size();
  });
}

result<std::optional<session_snapshot>>
read_snapshot(const fs::path& log, std::string_view session_id) {
  const auto path = snapshot_path(log, session_id);
  std::error_code none;
  if (!path
      || fs::symlink_status(*path, none).type() == fs::file_type::not_found)
    return std::nullopt;
  const auto bytes = read_file(*path, snapshot_bytes_max);
  if (!bytes)
    return fail(bytes.error());
  auto made = decode_snapshot(*bytes);
  if (!made)
    return fail(std::move(made).error());
  if (made->session_id != session_id)
    return refuse("it is another session's");
  return *std::move(made);
}

void remove_snapshot(const fs::path& log, std::string_view session_id) {
  const auto path = snapshot_path(log, session_id);
  if (!path)
    return;
  auto begun = *path;
  begun += unfinished_ending;
  std::error_code none;
  fs::remove(*path, none);
  fs::remove(begun, none);
  fs::remove(path->parent_path(), none); // only if it is empty
}

} // namespace convene::host
