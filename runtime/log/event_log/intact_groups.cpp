#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/intact_groups.hpp>

#include <optional>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t mark_bytes_max = 128;
constexpr std::string_view mark_start = R"({"log_group":)";

/// The mark at the beginning of `text`, whatever follows it.
std::optional<group_mark> mark_at(std::string_view text, std::size_t& length) {
  const auto line = text.substr(0, mark_bytes_max);
  const auto end = line.find("}}");
  if (end == line.npos)
    return std::nullopt;
  length = end + 2;
  return parse_group(line.substr(0, length));
}

} // namespace

result<other_bytes> find_intact_groups(
  const input_file& file, const read_limits& limits,
  const std::function<result<void>(const intact_group&)>& found) {
  std::string window;
  std::string group;
  std::uint64_t start = 0;    // of the window
  std::uint64_t mark_end = 0; // of the last line that means to be a mark
  while (true) {
    // The byte before the window's marks and the whole of the last one are in
    // it, too: windows overlap.
    const auto bytes = file.read(start, window_bytes, window);
    if (!bytes)
      return fail(bytes.error());
    const bool last = bytes->size() < window_bytes;
    const auto usable = last ? bytes->size() : bytes->size() - mark_bytes_max;
    std::size_t at = bytes->find(mark_start);
    for (; at < usable; at = bytes->find(mark_start, at + 1)) {
      const auto place = start + at;
      if (place < mark_end || place == 0 || at == 0 || (*bytes)[at - 1] != '\n')
        continue;
      const auto allowed = place - mark_end; // no group holds another's mark
      auto length = mark_start.size();
      const auto mark = mark_at(bytes->substr(at), length);
      // The line end belongs to it: without one it was never written whole.
      if (at + length >= bytes->size())
        continue;
      mark_end = place + length + 1;
      if (!mark || mark->bytes == 0 || mark->bytes > allowed
          || mark->bytes > limits.group_bytes)
        continue;
      const auto text = file.read(place - mark->bytes, mark->bytes, group);
      if (!text)
        return fail(text.error());
      if (crc32c(*text) != mark->crc)
        continue;
      if (auto ok = found({place - mark->bytes, mark_end, *mark, *text}); !ok)
        return fail(std::move(ok).error());
    }
    if (last)
      return other_bytes{start + bytes->size(), mark_end};
    start += usable - 1;
  }
}

} // namespace convene::host
