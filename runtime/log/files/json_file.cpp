#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/json_file.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

template <class Parse>
result<boost::json::value> read_with(const std::filesystem::path& file,
                                     std::size_t bytes_max, Parse parse) {
  return read_file(file, bytes_max)
    .and_then([&](const std::string& text) { return parse(text); })
    .map_error([&](error what) { return in_file(std::move(what), file); });
}

} // namespace

result<boost::json::value> read_json(const std::filesystem::path& file,
                                     std::size_t bytes_max) {
  json_limits limits;
  limits.bytes = std::max(limits.bytes, bytes_max);
  return read_with(file, bytes_max, [&limits](const std::string& text) {
    return parse_json(text, limits);
  });
}

result<boost::json::value> read_relaxed_json(const std::filesystem::path& file,
                                             std::size_t bytes_max) {
  return read_with(file, bytes_max, [](const std::string& text) {
    return parse_relaxed_json(text);
  });
}

} // namespace convene::host
