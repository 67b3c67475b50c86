#include <convene/runtime/outside/models/sse_reader.hpp>

#include <algorithm>

namespace convene::host {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

} // namespace

bool sse_reader::feed(std::string_view bytes, const when_event& then) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() == '\n')
      bytes.remove_prefix(1);
    after_return_ = false;
    const auto end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (line_.size() + data_.size() + end > event_bytes_max) {
      too_long_ = true;
      return false;
    }
    line_.append(bytes.substr(0, end));
    bytes.remove_prefix(end);
    if (bytes.empty())
      return true;
    after_return_ = bytes.front() == '\r';
    bytes.remove_prefix(1);
    std::string_view line = line_;
    if (first_line_ && line.starts_with(byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    first_line_ = false;
    const bool goes_on = take_line(line, then);
    line_.clear();
    if (!goes_on)
      return false;
  }
  return true;
}

bool sse_reader::take_line(std::string_view line, const when_event& then) {
  if (line.empty()) {
    const bool goes_on = !has_data_ || then(name_, data_);
    name_.clear();
    data_.clear();
    has_data_ = false;
    return goes_on;
  }
  const auto colon = std::min(line.find(':'), line.size());
  const auto field = line.substr(0, colon);
  auto value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_)
      data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
  return true; // other fields, and comments, say nothing here
}

} // namespace convene::host
