#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/messages.hpp>

using namespace convene;
using namespace convene::actors;

namespace {

/// Serialises as CAF does between nodes.
struct wire {
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("logger.verbosity", caf::atom("quiet"));
      add_messages(*this);
    }
  };

  using bytes = std::vector<char>;

  template <class... Ts>
  bytes write(Ts&&... what) {
    bytes buffer;
    caf::binary_serializer sink{system, buffer};
    const caf::error failure = sink(what...);
    REQUIRE_FALSE(failure);
    return buffer;
  }

  template <class T>
  caf::error read(const bytes& from, T& into) {
    caf::binary_deserializer source{system, from};
    return source(into);
  }

  template <class T>
  T there_and_back(T what) {
    T copy;
    REQUIRE_FALSE(read(write(what), copy));
    return copy;
  }

  config settings;
  caf::actor_system system{settings};
};

session::request full_request() {
  session::request made{
    .kind = session::request_kind::decision,
    .token = {1, 2},
    .turn_number = 3,
    .sequence = 4,
    .kind_sequence = 5,
    .round = 6,
    .attempt = 7,
    .expires_at = 8,
    .task = "task",
    .duty = "driver",
    .step_id = "step",
    .responses = std::vector<session::response>{
      {.participant = 9, .status = "failed", .content = "content"}}};
  made.terms = session::turn_terms{.limited = true,
                                   .resources = {{"file", "a"}},
                                   .handoff_id = {3, 4},
                                   .handed_by = 5,
                                   .depth = 6,
                                   .instructions = "go on",
                                   .reason = "because"};
  made.actions = session::recorded_actions{
    .first_token = {5, 6},
    .all = {{.what = {.position = "1.0",
                      .kind = protocol::action_kind::mcp,
                      .name = "files/read",
                      .arguments = {{"path", "a"}},
                      .repeatable = true},
             .attempt = 2,
             .ended = true,
             .result = {.status = protocol::action_status::failed,
                        .error = {"unavailable", "not now", true},
                        .usage = {1, 2, 3}}}}};
  made.dialog.add({.participant = 1, .at = 2, .content = "said"});
  made.dialog.add({.at = 3, .content = "the session's"});
  made.decide = session::decision_view{
    .ready = {{.step_id = "a",
               .description = "b",
               .agent_role = "c",
               .assigned = 1,
               .attempts = 2}},
    .steps_total = 3,
    .steps_open = 4,
    .steps_failed = 5,
    .outstanding = 6,
    .last_participant = 7,
    .last_status = "d",
    .last_step_id = "e",
    .last_content = "f",
    .also_closed
    = {{.participant = 9, .status = "j", .step_id = "k", .content = "l"}},
    .refused = "g",
    .responses = {{.participant = 8, .status = "h", .content = "i"}}};
  return made;
}

protocol::reply full_reply() {
  return {
    .status = protocol::reply_status::failed,
    .content = "umlauts: \xc3\xa4, quotes: \", a zero: " + std::string(1, '\0'),
    .writes = {{"file", "a", 7, protocol::write_op::remove, nullptr}},
    .claim = {{"file", "a", true, "b"}},
    .handoff = protocol::handoff{"b", "c", "d"},
    .vote = protocol::vote{"c", "d"},
    .tasks = {{.title = "a",
               .description = "b",
               .resources = {"c", "d"},
               .role = "e"}},
    .decision = {protocol::dispatch_decision{.participant = "p", .task = "t"},
                 protocol::dispatch_decision{.role = "r", .step_id = "s"},
                 protocol::broadcast_decision{.task = "t"},
                 protocol::close_step_decision{
                   .step_id = "s", .skip = true, .reason = "r"},
                 protocol::complete_decision{.success = false, .reason = "r"},
                 protocol::wait_decision{},
                 protocol::handoff{.to = "p", .reason = "r"},
                 protocol::ask_decision{.task = "why?"}},
    .end = true,
    .usage = {.prompt_tokens = 1,
              .completion_tokens = 2,
              .cost_microusd = 9'223'372'036'854'775'807},
    .reasoning = {"because", ""},
    .result = {{"answer", 42}, {"deep", {{"er", nullptr}}}},
    .error = {.code = "code", .message = "message"}};
}

} // namespace

TEST_CASE("a request arrives as it was sent") {
  wire over;
  const auto whole = full_request();
  CHECK(over.there_and_back(whole) == whole);
  CHECK(over.there_and_back(session::request{}) == session::request{});
}

TEST_CASE("actions and their results arrive with every member") {
  wire over;
  const auto request = full_request();
  const auto& sent = request.actions->all.front();
  const auto begun
    = over.there_and_back(action_begin_msg{2, {3, 4}, sent.what, 5});
  CHECK(begun.from == 2);
  CHECK(begun.token == protocol::uuid{3, 4});
  CHECK(begun.what == sent.what);
  CHECK(begun.attempt == 5);
  const auto ended
    = over.there_and_back(action_end_msg{2, {3, 4}, "1.0", 5, sent.result});
  CHECK(ended.position == "1.0");
  CHECK(ended.attempt == 5);
  CHECK(ended.result == sent.result);
  const auto due = over.there_and_back(action_due_msg{{3, 4}, "1.0", 6, 7});
  CHECK(due.position == "1.0");
  CHECK(due.delay_ms == 6);
  CHECK(due.run == 7);
}

TEST_CASE("what a turn has for its participant arrives as what it is") {
  wire over;
  const auto written
    = over.there_and_back(from_turn_msg{write_msg{2, {3, 4}, full_reply()}});
  const auto* write = caf::get_if<write_msg>(&written.what);
  REQUIRE(write != nullptr);
  CHECK(write->from == 2);
  CHECK(write->token == protocol::uuid{3, 4});
  CHECK(write->what == full_reply());
  const auto waiting
    = over.there_and_back(from_turn_msg{action_due_msg{{3, 4}, "1.0", 6, 7}});
  const auto* due = caf::get_if<action_due_msg>(&waiting.what);
  REQUIRE(due != nullptr);
  CHECK(due->position == "1.0");
  CHECK(due->run == 7);
}

TEST_CASE("an answer arrives with every member of its reply") {
  wire over;
  const auto copy = over.there_and_back(reply_msg{{2, {3, 4}, full_reply()}});
  CHECK(copy.what == session::answer{2, {3, 4}, full_reply()});
  CHECK(over.there_and_back(reply_msg{}).what == session::answer{});
}

TEST_CASE("writes before the answer arrive as they were sent") {
  wire over;
  const auto copy = over.there_and_back(write_msg{2, {3, 4}, full_reply()});
  CHECK(copy.from == 2);
  CHECK(copy.token == protocol::uuid{3, 4});
  CHECK(copy.what == full_reply());
}

TEST_CASE("what else actors say arrives as it was sent") {
  wire over;
  const auto note = over.there_and_back(notice_msg{{1, 2}, "refused", "stale"});
  CHECK(note.token == protocol::uuid{1, 2});
  CHECK(note.what == "refused");
  CHECK(note.reason == "stale");
  for (auto verb : {control::verb::start, control::verb::suspend,
                    control::verb::resume, control::verb::cancel}) {
    const auto order = over.there_and_back(control{verb, "reason"});
    CHECK(order.what == verb);
    CHECK(order.reason == "reason");
  }
  CHECK(over.there_and_back(time_passed{}) == time_passed{});
  CHECK(over.there_and_back(comeback{3}).who == 3);
}

TEST_CASE("CAF knows our messages by name") {
  wire over;
  const auto sent
    = caf::make_message(full_request(), reply_msg{{2, {3, 4}, full_reply()}},
                        write_msg{2, {3, 4}, full_reply()},
                        notice_msg{{1, 2}, "closed", ""},
                        control{control::verb::cancel, "x"}, time_passed{});
  const auto copy = over.there_and_back(sent);
  REQUIRE((copy.match_elements<session::request, reply_msg, write_msg,
                               notice_msg, control, time_passed>()));
  CHECK(copy.get_as<session::request>(0) == full_request());
  CHECK(copy.get_as<reply_msg>(1).what.reply == full_reply());
}

TEST_CASE("an answer whose text is broken is refused") {
  wire over;
  const auto text = GENERATE(as<std::string>{}, "", "{", "[]", "null",
                             R"({"status":"perhaps"})", R"({"unknown":1})",
                             R"({"end":true}{})",
                             R"({"usage":{"prompt_tokens":-1}})",
                             "{\"content\":\"\xff\"}");
  INFO(text);
  reply_msg into;
  CHECK(over.read(over.write(session::participant_index{0},
                             protocol::uuid{1, 2}, text),
                  into)
        == caf::sec::invalid_argument);
  CHECK(into.what.reply == protocol::reply{});
}

TEST_CASE("a message that was cut off is refused") {
  wire over;
  const auto whole = over.write(reply_msg{{2, {3, 4}, full_reply()}});
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    reply_msg into;
    const wire::bytes part(whole.begin(),
                           whole.begin() + static_cast<std::ptrdiff_t>(kept));
    CHECK(over.read(part, into));
  }
  const auto request = over.write(full_request());
  for (std::size_t kept = 0; kept < request.size(); ++kept) {
    session::request into;
    const wire::bytes part(request.begin(),
                           request.begin() + static_cast<std::ptrdiff_t>(kept));
    CHECK(over.read(part, into));
  }
}

TEST_CASE("a request with any byte changed never reads beyond its end") {
  wire over;
  const auto whole = over.write(full_request());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int change : {1, 0x7f, 0x80, 0xff}) {
      auto broken = whole;
      broken[at] = static_cast<char>(broken[at] ^ change);
      session::request into;
      if (over.read(broken, into))
        continue;
      for (const auto& entry : into.dialog.entries())
        CHECK(entry.content.size() <= whole.size());
    }
}
