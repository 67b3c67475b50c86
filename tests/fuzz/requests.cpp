// A libFuzzer target for the reader of HTTP requests. An input is a byte that
// says into what pieces the rest is cut, and the bytes of a connection.
//
// What is checked on each: pieces give what the whole gives, the bounds hold,
// what was read is framed in one way, and a path and a query that are accepted
// are UTF-8.
#include <convene/protocol/json/json_text.hpp>
#include <convene/server/http/request_reader.hpp>
#include <convene/server/http/target.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace convene::server;

namespace {

void require(bool met, const char* what) {
  if (met)
    return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

http_limits small_limits() {
  http_limits out;
  out.request_line_bytes_max = 200;
  out.header_bytes_max = 600;
  out.headers_max = 12;
  out.body_bytes_max = 500;
  return out;
}

struct connection_outcome {
  std::vector<std::string> requests; ///< line, host and body of each
  bool is_refused = false;
};

/// A refusal may come earlier where more can be seen; what is taken is the
/// same.
bool agree(const connection_outcome& one, const connection_outcome& other) {
  const auto& [first, last] = std::minmax(one.requests, other.requests,
                                          [](const auto& a, const auto& b) {
                                            return a.size() < b.size();
                                          });
  const bool is_refused = one.requests.size() < other.requests.size()
                            ? one.is_refused
                            : other.is_refused;
  return std::equal(first.begin(), first.end(), last.begin())
         && (first.size() == last.size() || is_refused);
}

void check_head(const request_head& head, const http_limits& limits) {
  require(head.path.starts_with('/'), "a path begins with a slash");
  require(!(head.headers.contains("content-length")
            && head.headers.contains("transfer-encoding")),
          "a request is framed in one way");
  require(head.headers.size() <= limits.headers_max, "headers_max holds");
  for (const auto& [name, value] : head.headers)
    for (const char c : name + value)
      require(c != '\0' && c != '\r' && c != '\n', "a header is one line");
  if (const auto segments = read_path(head.path))
    for (const auto& one : *segments)
      require(convene::protocol::valid_utf8(one) && one != "..",
              "a segment is UTF-8 and leads nowhere");
  if (const auto query = read_query(head.raw_query))
    for (const auto& [name, value] : *query)
      require(convene::protocol::valid_utf8(name + value), "a query is UTF-8");
}

/// Reads one request after another, from pieces of so many bytes.
connection_outcome read_all(std::string_view bytes, std::size_t piece) {
  static const auto limits = small_limits();
  connection_outcome out;
  std::string input;
  request_reader reader{limits};
  while (!bytes.empty() || !input.empty()) {
    const auto next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    input += next;
    for (;;) {
      const auto used = reader.put(input);
      if (!used) {
        require(used.error().status >= 400, "a refusal has a status");
        out.is_refused = true;
        return out;
      }
      require(*used <= input.size(), "no more is taken than there is");
      input.erase(0, *used);
      require(reader.body().size() <= limits.body_bytes_max,
              "body_bytes_max holds");
      if (reader.is_done()) {
        const auto& head = *reader.head();
        check_head(head, limits);
        if (!head.is_chunked)
          require(reader.body().size() == head.content_length,
                  "a body is as long as it says");
        out.requests.push_back(head.method + ' ' + head.path + ' ' + head.host
                               + ' ' + reader.body());
        reader = request_reader{limits};
        if (input.empty())
          break;
      } else if (*used == 0 || input.empty()) {
        break;
      }
    }
    require(input.size() <= limits.header_bytes_max, "what waits is bounded");
    if (next.empty())
      break;
  }
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0)
    return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data + 1),
                               size - 1};
  const auto piece = static_cast<std::size_t>(data[0]) % 32 + 1;
  require(agree(read_all(bytes, piece), read_all(bytes, 16)),
          "pieces of any size give the same requests");
  return 0;
}
