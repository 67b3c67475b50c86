#include "mcp_rig.hpp"

#include <convene/server/mcp/rpc_message.hpp>

using namespace convene;
using namespace convene::tests;
using server::read_rpc;
using server::rpc_message;

namespace {

constexpr std::size_t bytes_most = 10'000;

server::broken_rpc broken(const std::string& text) {
  const auto read = read_rpc(text, bytes_most);
  INFO(text);
  REQUIRE(!read);
  CHECK(!read.error().fault.message.empty());
  return read.error();
}

} // namespace

TEST_CASE("requests, notifications and answers are distinguished") {
  const auto request
    = read_rpc(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}})",
               bytes_most);
  REQUIRE(request);
  CHECK(request->what == rpc_message::kind::request);
  CHECK(request->id == json::value("a"));
  CHECK(request->method == "ping");
  CHECK(request->params == json::object{{"x", 1}});
  const auto note = read_rpc(R"({"jsonrpc":"2.0","method":"m"})", bytes_most);
  REQUIRE(note);
  CHECK(note->what == rpc_message::kind::notification);
  for (const auto* answer : {R"({"jsonrpc":"2.0","id":1,"result":{}})",
                             R"({"jsonrpc":"2.0","id":1,"error":{}})"}) {
    const auto read = read_rpc(answer, bytes_most);
    REQUIRE(read);
    CHECK(read->what == rpc_message::kind::answer);
  }
}

TEST_CASE("what is not JSON is a parse error without an id") {
  std::string nested(200, '[');
  for (const auto& text :
       {std::string{"{"}, std::string{"nonsense"}, std::string{"{\"id\":1"},
        std::string{"\xff\xfe"}, std::string(1, '\0'), nested,
        std::string{R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"}}) {
    const auto made = broken(text);
    CHECK(made.fault.code == -32700);
    CHECK(made.id.is_null());
  }
}

TEST_CASE("JSON of another form is an invalid request, under its id") {
  for (const auto* text :
       {"1", "[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "null",
        R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":{},"method":"ping"})"}) {
    const auto made = broken(text);
    CHECK(made.fault.code == -32600);
    CHECK(made.id.is_null());
  }
  for (const auto* text :
       {R"({"id":7,"method":"ping"})",
        R"({"jsonrpc":"1.0","id":7,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":7})", R"({"jsonrpc":"2.0","id":7,"method":3})",
        R"({"jsonrpc":"2.0","id":7,"method":"m","params":[]})"}) {
    const auto made = broken(text);
    CHECK(made.fault.code == -32600);
    CHECK(made.id == json::value(7));
  }
}

TEST_CASE("a message and its id have a bound") {
  const std::string long_id(300, 'i');
  CHECK(broken(R"({"jsonrpc":"2.0","method":"ping","id":")" + long_id + "\"}")
          .fault.code
        == -32600);
  const auto made = broken(std::string(bytes_most + 1, ' '));
  CHECK(made.fault.code == -32600);
  CHECK(made.fault.message.find("10000") != std::string::npos);
}
