#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/participants/hosted_turn.hpp>
#include <convene/server/participants/turn_message.hpp>

using namespace convene;
using namespace convene::server;
using namespace std::chrono_literals;

namespace {

const std::string own_key(key_digits, 'c');
const std::string own_token = "01234567-89ab-4def-8123-456789abcdef";

struct rig {
  rig() {
    session::request asked{.token = *protocol::parse_uuid(own_token)};
    live = std::make_shared<actors::live_turn>(turn->link(), 0, asked, 60'000);
    turn->set_live(live);
  }

  /// What it has said since, each with its proof.
  std::vector<protocol::json::object> said() {
    std::vector<protocol::json::object> all;
    std::string text;
    for (;;) {
      const auto part = reader->read(7, [] {}); // a few bytes at a time
      text += part.bytes;
      is_last = part.is_last;
      if (part.bytes.empty() || is_last)
        break;
    }
    while (!text.empty()) {
      const auto end = text.find('\n');
      const auto line = text.substr(0, end);
      text.erase(0, end + 1);
      if (line.find_first_not_of(' ') == line.npos)
        continue;
      const auto opened = open_line(line, own_key, own_token, number++);
      REQUIRE(opened);
      all.push_back(protocol::parse_json(*opened)->as_object());
    }
    return all;
  }

  std::shared_ptr<hosted_turn> turn = std::make_shared<hosted_turn>(own_key,
                                                                    own_token);
  std::shared_ptr<actors::live_turn> live;
  std::shared_ptr<stream_source> reader = turn->reader();
  std::uint64_t number = 0;
  bool is_last = false;
};

} // namespace

TEST_CASE("what a turn does on another node is said in its order, and ends "
          "with the answer") {
  rig at;
  CHECK(at.live->write({.resource_type = "file", .resource_id = "a"}));
  CHECK(at.live->answer({.content = "done"}));
  const auto said = at.said();
  REQUIRE(said.size() == 2);
  CHECK(said[0].contains("write"));
  CHECK(protocol::text_of(protocol::object_of(said[1], "answer"), "content")
        == "done");
  CHECK(at.is_last);
}

TEST_CASE("an action on another node begins once the session lets it") {
  rig at;
  int begun = 0;
  actors::when_acted told;
  at.live->act(
    {.position = "1", .name = "sh", .repeatable = true}, {},
    [&](const actors::attempt&, actors::when_acted then) {
      ++begun;
      told = std::move(then);
      return actors::cancel_function{};
    },
    [](protocol::action_result) {});
  auto said = at.said();
  REQUIRE(said.size() == 1);
  CHECK(said[0].contains("begin"));
  CHECK(begun == 0);
  at.live->actions().started("1");
  CHECK(begun == 1);
  told({.status = protocol::action_status::completed});
  said = at.said();
  REQUIRE(said.size() == 1);
  CHECK(said[0].contains("end"));
  CHECK_FALSE(at.is_last);
}

TEST_CASE("a turn whose reader goes is over, and what it does is cancelled") {
  rig at;
  bool is_cancelled = false;
  at.live->act(
    {.position = "1", .name = "sh"}, {},
    [&](const actors::attempt&, const actors::when_acted&) {
      return [&] { is_cancelled = true; };
    },
    [](protocol::action_result) {});
  at.live->actions().started("1");
  at.reader.reset();
  CHECK(is_cancelled);
  CHECK(at.live->is_over());
  CHECK(at.turn->live() == nullptr);
}

TEST_CASE("a notice that comes twice counts once") {
  rig at;
  CHECK(at.turn->is_new(0));
  CHECK(at.turn->is_new(1));
  CHECK_FALSE(at.turn->is_new(0));
}

TEST_CASE("a turn that says too much at once fails") {
  rig at;
  CHECK(at.live->answer({.content = std::string(line_bytes_max + 1, 'x')}));
  const auto said = at.said();
  REQUIRE(said.size() == 1);
  const auto& answer = protocol::object_of(said[0], "answer");
  CHECK(protocol::text_of(answer, "status") == "failed");
  CHECK(at.is_last);
}

TEST_CASE("an answer that is due later is said then") {
  rig at;
  at.turn->answer_after(1h, {.content = "late"});
  CHECK(at.said().empty());
  at.turn->answer_after(0ms, {.content = "now"});
  CHECK(at.said().size() == 1);
  CHECK(at.is_last);
}
