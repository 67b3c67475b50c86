#include <catch2/catch.hpp>
#include <convene/runtime/outside/http/sse_reader.hpp>

#include <algorithm>
#include <string>
#include <vector>

using convene::host::sse_event;
using convene::host::sse_reader;

namespace {

std::string read_in_pieces(const std::string& stream, std::size_t size) {
  sse_reader reader{1'000};
  std::string all;
  for (std::size_t at = 0; at < stream.size(); at += size)
    REQUIRE(
      reader.feed(stream.substr(at, size), [&all](const sse_event& event) {
        all += event.id + '|' + event.type + '|' + event.data + ';';
        return true;
      }));
  return all;
}

} // namespace

TEST_CASE(
  "a stream means the same in any pieces, with any line ends and a byte order "
  "mark") {
  const std::string lines = ":alive\nid: 1\nevent: a\ndata: x\ndata:  y\n\n"
                            "retry: 5\n\nid: 2\ndata\n\nid: 3\ndata: cut";
  std::string with_returns, with_both;
  for (const char c : lines) {
    with_returns += c == '\n' ? '\r' : c;
    with_both += c == '\n' ? "\r\n" : std::string{c};
  }
  const auto with_mark = "\xef\xbb\xbf" + lines.substr(lines.find("id: 1"));
  for (const auto& stream : {lines, with_returns, with_both, with_mark})
    for (std::size_t size = 1; size <= stream.size(); ++size)
      REQUIRE(read_in_pieces(stream, size) == "1|a|x\n y;2||;");
}

TEST_CASE("a stream may be left behind at any byte") {
  const std::string stream = "id: 1\r\nevent: a\r\n"
                             "data: longer than a string keeps in itself\r\n"
                             "\r\nid: 2\rdata: y\r\r";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    const auto all = read_in_pieces(stream.substr(0, cut), stream.size());
    CHECK(std::ranges::count(all, ';')
          == (cut >= stream.find("id: 2") - 1) + (cut == stream.size()));
  }
}

TEST_CASE("an event that never ends is an error, comments are not counted") {
  sse_reader reader{1'000};
  const auto nothing = [](const sse_event&) { return true; };
  for (int i = 0; i < 1'000; ++i)
    REQUIRE(reader.feed(":alive\n", nothing));
  REQUIRE(reader.feed("data: " + std::string(900, 'a') + '\n', nothing));
  const auto got = reader.feed(std::string(100, 'b'), nothing);
  REQUIRE_FALSE(got);
  CHECK(got.error().rule == "event_bytes_max");
}
