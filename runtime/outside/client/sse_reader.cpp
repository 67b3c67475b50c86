#include <convene/runtime/outside/client/sse_reader.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;

protocol::result<bool>
sse_reader::feed(std::string_view bytes,
                 const std::function<bool(const sse_event&)>& take) {
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    bytes_ += end;
    if (bytes_ > event_bytes_max_)
      return fail(errc::limit_reached,
                  "the server sends an event of more than "
                    + std::to_string(event_bytes_max_) + " bytes",
                  "event_bytes_max");
    line_ += bytes.substr(0, end);
    if (end == bytes.size())
      break;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!take_line(std::exchange(line_, {}), take))
      return false;
  }
  return true;
}

bool sse_reader::take_line(std::string_view line,
                           const std::function<bool(const sse_event&)>& take) {
  if (line.empty()) {
    bytes_ = 0;
    auto event = std::exchange(event_, {});
    return !std::exchange(has_data_, false) || take(event);
  }
  const auto colon = line.find(':');
  const auto name = line.substr(0, colon);
  auto value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
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
  } else if (name.empty()) {
    bytes_ -= std::min(bytes_, line.size()); // comments keep a stream awake
  }
  return true;
}

} // namespace convene::host
