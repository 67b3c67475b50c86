#include "framing_cases.hpp"

#include <catch2/catch.hpp>
#include <convene/server/http/request_reader.hpp>
#include <convene/server/http/target.hpp>

using namespace convene::server;
using namespace convene::tests;

namespace {

struct outcome {
  unsigned status = 0; ///< 0: it was read
  std::string method;
  std::string path;
  std::string body;
  std::string rest; ///< what does not belong to it
  bool is_done = false;

  bool operator==(const outcome&) const = default;
};

/// Reads bytes of which the first `cut` come at once, then pieces of `size`.
outcome read_in_pieces(std::string_view bytes, std::size_t cut,
                       std::size_t size) {
  request_reader reader{{}};
  std::string input;
  for (std::size_t from = 0, to = cut;; from = to, to += size) {
    input += bytes.substr(from, to - from);
    for (bool goes_on = true; goes_on && !reader.is_done();) {
      const auto used = reader.put(input);
      if (!used)
        return {.status = used.error().status};
      input.erase(0, *used);
      goes_on = *used != 0 && !input.empty();
    }
    if (to >= bytes.size())
      break;
  }
  if (!reader.head())
    return {.rest = input};
  return {.method = reader.head()->method,
          .path = reader.head()->path,
          .body = reader.body(),
          .rest = input,
          .is_done = reader.is_done()};
}

outcome read_in_two(std::string_view bytes, std::size_t cut) {
  return read_in_pieces(bytes, cut, bytes.size());
}

/// What the reader alone does not refuse, since it knows no endpoints.
bool is_for_the_dispatcher(std::string_view name) {
  return name.find("escape") != name.npos
         || name.find("dot segment") != name.npos
         || name == "a query with a member twice" || name == "a body of a GET";
}

} // namespace

TEST_CASE("a request is read, or refused, the same wherever it is cut") {
  for (const auto& one : framing_cases()) {
    INFO(one.name);
    const auto whole = read_in_two(one.bytes, 0);
    CHECK(whole.status == (is_for_the_dispatcher(one.name) ? 0 : one.status));
    CHECK((whole.is_done || whole.status != 0));
    for (std::size_t cut = 1; cut < one.bytes.size(); ++cut) {
      INFO(cut);
      // Of two faults, the first one that can be seen counts.
      const auto parts = read_in_two(one.bytes, cut);
      CHECK((parts == whole || (whole.status != 0 && parts.status == 400)));
    }
    const auto bytes = read_in_pieces(one.bytes, 1, 1);
    CHECK((bytes == whole || (whole.status != 0 && bytes.status == 400)));
  }
}

TEST_CASE("what follows a request is left for the next one") {
  const std::string post = "POST /a HTTP/1.1\r\nHost: h\r\n";
  const std::string next = "GET /b HTTP/1.1\r\n";
  for (const auto& bytes :
       {post + "Content-Length: 3\r\n\r\nabc",
        post
          + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"})
    for (std::size_t cut = 0; cut < bytes.size() + next.size(); ++cut) {
      const auto read = read_in_two(bytes + next, cut);
      CHECK(read
            == outcome{.method = "POST",
                       .path = "/a",
                       .body = "abc",
                       .rest = next,
                       .is_done = true});
    }
}

TEST_CASE("chunks that come byte by byte are read") {
  const std::string head = "POST /a HTTP/1.1\r\nHost: h\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string body : {"", "abc"})
    for (std::size_t cut = 0; cut <= head.size(); ++cut) {
      INFO(cut << " of " << body);
      const auto chunks = body.empty() ? "" : "3\r\n" + body + "\r\n";
      CHECK(read_in_pieces(head + chunks + "0\r\n\r\n", cut, 1)
            == outcome{
              .method = "POST", .path = "/a", .body = body, .is_done = true});
    }
}

TEST_CASE("each bound of a request has its own status and name") {
  http_limits limits;
  limits.request_line_bytes_max = 40;
  limits.header_bytes_max = 120;
  limits.headers_max = 3;
  limits.body_bytes_max = 4;
  const std::string host = "Host: h\r\n";
  const auto refused = [&limits](const std::string& bytes) {
    request_reader reader{limits};
    std::string input = bytes;
    for (;;) {
      const auto used = reader.put(input);
      if (!used)
        return std::to_string(used.error().status) + ' ' + used.error().code;
      if (*used == 0 || reader.is_done())
        return std::string{"taken"};
      input.erase(0, *used);
    }
  };
  const std::string long_word(41, 'a');
  CHECK(refused("GET /" + long_word) == "414 request_line_bytes_max");
  CHECK(refused("GET / HTTP/1.1\r\n" + host + "X: " + std::string(120, 'a'))
        == "431 header_bytes_max");
  CHECK(refused("GET / HTTP/1.1\r\n" + host + "A: 1\r\nB: 2\r\n\r\n")
        == "taken");
  CHECK(refused("GET / HTTP/1.1\r\n" + host + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n")
        == "431 headers_max");
  const auto post = "POST / HTTP/1.1\r\n" + host;
  CHECK(refused(post + "Content-Length: 4\r\n\r\nabcd") == "taken");
  CHECK(refused(post + "Content-Length: 5\r\n\r\n") == "413 body_bytes_max");
  CHECK(refused(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\n")
        == "413 body_bytes_max");
}

TEST_CASE("a head says what it says") {
  const auto read = read_request_head(
    "POST http://H:80/a%20b/c?x=1&y HTTP/1.1\r\nhost: h:80\r\nAccept: a\r\n"
    "ACCEPT: b\r\nConnection: Keep-Alive, Close\r\nExpect: 100-Continue\r\n"
    "Content-Length: 7\r\n\r\n",
    {});
  REQUIRE(read);
  CHECK(read->path == "/a%20b/c");
  CHECK(read->raw_query == "x=1&y");
  CHECK(read->host == "h:80");
  CHECK(read->header("accept") == "a, b");
  CHECK_FALSE(read->keep_alive);
  CHECK(read->expects_continue);
  CHECK(read->content_length == 7);
  const auto old = read_request_head("GET / HTTP/1.0\r\n\r\n", {});
  REQUIRE(old);
  CHECK_FALSE(old->keep_alive);
}

TEST_CASE("paths and queries are decoded by their parts") {
  CHECK(read_path("/a%2Fb/%C3%A9/")
        == std::vector<std::string>{"a/b", "\xc3\xa9", ""});
  CHECK(read_path("/") == std::vector<std::string>{""});
  const auto query = read_query("a=1%262&b=x+y&c&&d=%3D");
  REQUIRE(query);
  CHECK(*query
        == std::map<std::string, std::string, std::less<>>{
          {"a", "1&2"}, {"b", "x y"}, {"c", ""}, {"d", "="}});
  for (const auto* const bad : {"/%", "/%2", "/%zz", "/%00", "/%ff", "/a/%2e"})
    CHECK_FALSE(read_path(bad));
}
