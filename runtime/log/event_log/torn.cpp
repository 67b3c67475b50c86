#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/torn.hpp>

#include <string>

namespace convene::host {

bool has_lost_sector(std::string_view bytes, std::uint64_t offset) {
  auto part = std::size_t{sector_bytes - offset % sector_bytes};
  for (; !bytes.empty(); part = sector_bytes) {
    const auto sector = bytes.substr(0, part);
    if (sector.find_first_not_of('\0') == sector.npos)
      return true;
    bytes.remove_prefix(sector.size());
  }
  return false;
}

bool ends_in_damaged_group(std::string_view tail, std::uint64_t offset,
                           std::uint32_t previous_crc) {
  // A flipped bit differs in one byte; the crc in the line says nothing here,
  // for the bit may be one of those that it is about.
  constexpr std::size_t differing_max = 2;
  constexpr std::size_t digits_max = 12;
  if (has_lost_sector(tail, offset))
    return false;
  const auto shortest = to_line(group_mark{}).size() + 1; // one digit, line end
  for (std::size_t digits = 1; digits <= digits_max; ++digits) {
    const auto length = shortest + digits - 1;
    if (length > tail.size())
      break;
    const auto bytes = tail.size() - length;
    if (std::to_string(bytes).size() != digits)
      continue;
    const auto wanted
      = to_line(group_mark{.bytes = bytes, .previous = previous_crc}) + '\n';
    const auto found = tail.substr(bytes);
    const auto crc = wanted.find("crc32c") + 9;
    std::size_t differing = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (wanted[i] != found[i] && (i < crc || i >= crc + 8))
        ++differing;
    if (differing <= differing_max && found.find('\0') == found.npos)
      return true;
  }
  return false;
}

bool is_torn_start(std::string_view content) {
  constexpr std::string_view start = R"({"log_opened":)";
  if (content.size() >= sector_bytes)
    return false;
  const auto last = content.find_last_not_of('\0');
  content = content.substr(0, last == content.npos ? 0 : last + 1);
  return content.starts_with(start.substr(0, content.size()));
}

} // namespace convene::host
