#include <convene/runtime/outside/http/sse_reader.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

} // namespace

protocol::result<bool> sse_reader::feed(std::string_view bytes,
                                        const take_event& take) {
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    bytes_ += end;
    if (bytes_ > event_bytes_max_)
      return protocol::fail(protocol::errc::limit_reached,
                            "the server sends an event of more than "
                              + std::to_string(event_bytes_max_) + " bytes",
                            "event_bytes_max");
    line_ += bytes.substr(0, end);
    if (end == bytes.size())
      break;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string_view line = line_;
    if (std::exchange(first_line_, false) && line.starts_with(byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    if (!take_line(line, take))
      return false;
    line_.clear();
  }
  return true;
}

bool sse_reader::take_line(std::string_view line, const take_event& take) {
  if (line.empty()) {
    bytes_ = 0;
    if (!event_.id.empty())
      last_id_ = event_.id;
    const auto event = std::exchange(event_, {});
    return !std::exchange(has_data_, false) || take(event);
  }
  const auto colon = std::min(line.find(':'), line.size());
  const auto name = line.substr(0, colon);
  auto value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (name == "data") {
    if (std::exchange(has_data_, true))
      event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    event_.id = value;
  } else if (name == "retry") {
    std::int64_t made = 0;
    const auto* const end = value.data() + value.size();
    const auto [at, fault] = std::from_chars(value.data(), end, made);
    if (at == end && fault == std::errc{} && made >= 0)
      retry_ms_ = made;
  } else if (name.empty()) {
    bytes_ -= std::min(bytes_, line.size()); // comments keep a stream awake
  }
  return true;
}

} // namespace convene::host
