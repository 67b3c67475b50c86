#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/server/participants/turn_message.hpp>

using namespace convene;
using namespace convene::server;

namespace {

const std::string key(key_digits, 'a');
const std::string token = "01234567-89ab-4def-8123-456789abcdef";

session::session_info a_session() {
  session::session_info made{.session_id = token,
                             .title = "title",
                             .purpose = "purpose",
                             .mode = protocol::mode::orchestrated};
  for (const auto* id : {"one", "two", "three"}) {
    protocol::participant who;
    who.participant_id = id;
    who.role_id = std::string{"role-"} + id;
    made.participants.push_back(std::move(who));
    made.role_names.push_back(std::string{"Role "} + id);
  }
  made.trace_context = protocol::trace_context{
    .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    .tracestate = "a=b"};
  return made;
}

session::request a_request() {
  session::request made{.kind = session::request_kind::turn,
                        .token = *protocol::parse_uuid(token),
                        .turn_number = 7,
                        .sequence = 5,
                        .kind_sequence = 3,
                        .expires_at = 1'767'225'600'000,
                        .task = "task"};
  made.dialog.add({.participant = 2, .at = 1'767'225'600'000, .content = "hi"});
  made.workspace
    = *session::workspace_view::from_json({{"revision", 9},
                                           {"resources",
                                            {{{"type", "file"},
                                              {"id", "a"},
                                              {"version", 4},
                                              {"revision", 9},
                                              {"value", {{"x", 1}}}}}}});
  made.workspace_since = 8;
  session::recorded_actions before{.first_token = made.token};
  before.all.push_back(
    {.what = {.position = "1",
              .kind = protocol::action_kind::process,
              .name = "sh",
              .arguments = {{"a", 1}}},
     .attempt = 2,
     .ended = true,
     .result = {.status = protocol::action_status::completed, .output = "b"}});
  made.actions = std::move(before);
  return made;
}

actors::turn_request asked_of(session::participant_index self) {
  actors::turn_request made;
  const auto asked = a_request();
  actors::assemble(made,
                   std::make_shared<const session::session_info>(a_session()),
                   self, asked);
  struct no_link final : actors::turn_link {
    void write(protocol::reply) override {}
    void answer(protocol::reply) override {}
    bool begin(protocol::action, std::uint32_t) override {
      return false;
    }
    void end(std::string, std::uint32_t, protocol::action_result) override {}
    bool call_later(std::string, std::uint64_t, std::int64_t) override {
      return false;
    }
  };
  made.live = std::make_shared<actors::live_turn>(std::make_shared<no_link>(),
                                                  self, asked, 1'000);
  return made;
}

/// As it arrives.
protocol::json::object sent(const protocol::json::object& what) {
  return protocol::parse_json(boost::json::serialize(what))->as_object();
}

} // namespace

TEST_CASE("a turn reaches another node unchanged") {
  auto asked = asked_of(1);
  const auto about = decode_session(sent(encode_session(a_session())));
  REQUIRE(about);
  CHECK(*about == a_session());
  const auto order = decode_turn(sent(encode_turn(asked, 900)), *about);
  INFO((order ? std::string{} : to_string(order.error())));
  REQUIRE(order);
  CHECK(order->self == 1);
  CHECK(order->left_ms == 900);
  CHECK(order->before == *a_request().actions);
  auto there = order->asked;
  CHECK(*there.about == *asked.about);
  CHECK(there.dialog() == asked.dialog());
  CHECK(there.kind_sequence == 3);
  CHECK(there.workspace == asked.workspace);
  CHECK(there.news().size() == asked.news().size());
  CHECK(there.token == asked.token);
  CHECK(there.deadline == asked.deadline);
}

TEST_CASE("a turn of a participant that the session does not have is refused") {
  auto asked = asked_of(1);
  asked.participant = "four";
  CHECK_FALSE(decode_turn(sent(encode_turn(asked, 1)), a_session()));
}

TEST_CASE("members of a turn that are missing or of another type are refused") {
  const auto whole = sent(encode_turn(asked_of(1), 1));
  const auto about = a_session();
  REQUIRE(decode_turn(whole, about));
  for (const auto& [name, value] : whole) {
    CAPTURE(std::string_view{name});
    auto broken = whole;
    broken[name] = "other";
    CHECK_FALSE(decode_turn(broken, about));
    if (name == "actions")
      continue;
    broken.erase(name);
    CHECK_FALSE(decode_turn(broken, about));
  }
}

TEST_CASE("a message counts only with the key, the turn, the number and the "
          "text that it was made for") {
  const auto line = sign_line(key, token, 3, "text");
  CHECK(*open_line(line, key, token, 3) == "text");
  CHECK_FALSE(open_line(line, std::string(key_digits, 'b'), token, 3));
  CHECK_FALSE(open_line(line, key, "another", 3));
  CHECK_FALSE(open_line(line, key, notice_label(token), 3));
  CHECK_FALSE(open_line(line, key, token, 4));
  CHECK_FALSE(open_line(line + 's', key, token, 3));
  CHECK_FALSE(open_line("text", key, token, 3));
  CHECK_FALSE(open_line("", key, token, 3));
  CHECK(open_line(line, "x", token, 3).error().rule == "turn_unproven");
}

TEST_CASE("a message with any byte changed is refused") {
  const auto line = sign_line(key, token, 0, R"({"answer": {}})");
  for (std::size_t at = 0; at < line.size(); ++at) {
    auto other = line;
    other[at] = static_cast<char>(other[at] ^ 1);
    CHECK_FALSE(open_line(other, key, token, 0));
  }
}
