#include <boost/beast/http/status.hpp>
#include <convene/server/http/answer_head.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace convene::server {
namespace {

bool is_one_line(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c == '\t' || (c != '\x7f' && static_cast<unsigned char>(c) >= ' ');
  });
}

bool says(const response& answer, std::string_view name) {
  return std::ranges::any_of(answer.headers, [name](const auto& one) {
    return std::ranges::equal(one.first, name, [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a)
             == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    });
  });
}

} // namespace

std::string answer_head(const response& answer, const answer_frame& frame) {
  const auto status = static_cast<boost::beast::http::status>(answer.status);
  const std::string_view reason = boost::beast::http::obsolete_reason(status);
  std::string out
    = fmt::format("HTTP/1.1 {} {}\r\nDate: {:%a, %d %b %Y %H:%M:%S GMT}\r\n"
                  "X-Request-Id: {}\r\nX-Content-Type-Options: nosniff\r\n",
                  answer.status, reason, fmt::gmtime(std::time(nullptr)),
                  frame.request_id);
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (is_one_line(name) && is_one_line(value))
      out.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& [name, value] : answer.headers)
    add(name, value);
  if (!says(answer, "cache-control"))
    add("Cache-Control", "no-store");
  if (!frame.cors_origin.empty()) {
    add("Access-Control-Allow-Origin", frame.cors_origin);
    add("Access-Control-Expose-Headers",
        "X-Request-Id, Location, Retry-After, openwop-Idempotent-Replay");
    add("Vary", "Origin");
  }
  if (!answer.content_type.empty() && answer.status != 204)
    add("Content-Type", answer.content_type);
  if (answer.stream == nullptr) {
    if (answer.status != 204)
      add("Content-Length", std::to_string(answer.body.size()));
  } else {
    add("X-Accel-Buffering", "no"); // nginx would keep it until it ends
    if (!frame.is_http_1_0)
      add("Transfer-Encoding", "chunked");
  }
  if (!frame.keep_alive)
    add("Connection", "close");
  else if (frame.is_http_1_0)
    add("Connection", "keep-alive");
  return out + "\r\n";
}

std::string as_chunk(std::string_view bytes) {
  auto out = fmt::format("{:x}\r\n", bytes.size());
  out.reserve(out.size() + bytes.size() + 2);
  return out.append(bytes).append("\r\n");
}

} // namespace convene::server
