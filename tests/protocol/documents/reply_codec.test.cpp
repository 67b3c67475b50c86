#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <protocol/checks/filler.hpp>
#include <protocol/documents/corpus.hpp>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <utility>

using namespace convene::protocol;

namespace convene::protocol {

/// Each kind of decision in turn.
void fill_variant(filler& fill, decision& to, std::uint64_t number) {
  switch (number % 7) {
    case 0:
      to = dispatch_decision{.participant = "a", .task = "t"};
      break;
    case 1:
      fill.fill(to.emplace<broadcast_decision>(), {});
      break;
    case 2:
      fill.fill(to.emplace<close_step_decision>(), {});
      break;
    case 3:
      fill.fill(to.emplace<complete_decision>(), {});
      break;
    case 4:
      to = wait_decision{};
      break;
    case 5:
      fill.fill(to.emplace<handoff>(), {});
      break;
    default:
      fill.fill(to.emplace<ask_decision>(), {});
  }
}

} // namespace convene::protocol

namespace {

reply decoded(std::string_view text) {
  const auto made = decode_reply(parse_json(text).value());
  REQUIRE(made);
  return *made;
}

} // namespace

TEST_CASE("a reply with every member comes out as it went in") {
  const auto from = read_valid("reply");
  const auto made = decode_reply(from);
  REQUIRE(made);
  CHECK(json::serialize(encode(*made)) == json::serialize(from));
  CHECK(made->decision.size() == 9);
  CHECK(made->handoff.has_value());
  CHECK(made->vote.has_value());
  CHECK(made->writes.size() == 1);
}

TEST_CASE("an empty reply means completed, with nothing to say") {
  CHECK(decoded("{}") == reply{});
  CHECK(encode(reply{}).empty());
}

TEST_CASE("a decision becomes its own kind of value") {
  const auto made = decoded(R"({"decision": [
    {"dispatch": {"participant": "ana", "task": "t"}},
    {"dispatch": {"step_id": "s"}},
    {"broadcast": {}},
    {"close_step": {"step_id": "s", "skip": true, "reason": "r"}},
    {"complete": {}},
    {"complete": {"success": false, "reason": "r"}},
    {"wait": {}},
    {"handoff": {"to": "ana"}},
    {"ask": {"task": "may we?"}},
    {"dispatch": {"role": "x", "resources": []}}
  ]})");
  CHECK(made.decision
        == std::vector<decision>{
          dispatch_decision{.participant = "ana", .task = "t"},
          dispatch_decision{.step_id = "s"}, broadcast_decision{},
          close_step_decision{"s", true, "r"}, complete_decision{},
          complete_decision{false, "r"}, wait_decision{},
          handoff{"ana", "", ""}, ask_decision{"", "may we?"},
          dispatch_decision{.role = "x",
                            .resources = std::vector<resource_ref>{}}});
}

TEST_CASE("a reply hands off once, to somebody") {
  CHECK(
    decoded(R"({"handoff": {"to": "x", "reason": "r"}, "vote": null})").handoff
    == handoff{"x", "", "r"});
  const auto refused = [](std::string_view text) {
    return decode_reply(parse_json(text).value()).error().pointer;
  };
  CHECK(refused(R"({"handoff": [{"to": "x"}, {"to": "y"}]})") == "/handoff");
  CHECK(refused(R"({"handoff": {"to": ""}})") == "/handoff/to");
  CHECK(refused(R"({"handoff": {"reason": "r"}})") == "/handoff");
}

TEST_CASE("a reply at its bounds is accepted") {
  reply full;
  full.writes.assign(reply_writes_max, {"file", "a", 1, {}, true});
  full.tasks.assign(reply_tasks_max, {.title = "t"});
  full.decision.assign(reply_decisions_max, wait_decision{});
  full.reasoning.assign(reply_reasoning_max, "r");
  CHECK(decode_reply(encode(full)) == full);
}

TEST_CASE("a whole number of a program is taken, signed or not") {
  const auto with = [](json::value version) {
    return decode_reply(
      json::object{{"writes", json::array{{{"resource_type", "file"},
                                           {"resource_id", "a.txt"},
                                           {"base_version", std::move(version)},
                                           {"op", "put"},
                                           {"value", "x"}}}}});
  };
  const auto taken = with(std::uint64_t{7});
  REQUIRE(taken);
  CHECK(taken->writes.at(0).base_version == 7);
  const auto refused = with(std::numeric_limits<std::uint64_t>::max());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "maximum");
}

TEST_CASE("errors of a reply name the place behind the given pointer") {
  const auto refused
    = decode_reply(json::value{{"end", 1}}, "/turns/3").error();
  CHECK(refused.code == errc::invalid_document);
  CHECK(refused.pointer == "/turns/3/end");
  CHECK(refused.rule == "type");
  CHECK(refused.value == "1");
}

TEST_CASE("decoding an encoded reply gives the reply back") {
  CHECK(rc::check([](std::uint32_t seed) {
    reply made;
    filler fill{seed};
    describe(fill, made);
    RC_ASSERT((decode_reply(encode(made)) == made));
  }));
}

TEST_CASE("any JSON value is a reply or is refused with a place") {
  const auto valid = read_corpus("valid/reply.json");
  CHECK(rc::check(
    [&](std::uint16_t at, std::uint16_t length, const std::string& noise) {
      auto text = valid;
      text.replace(at % text.size(), length % 16, noise);
      if (const auto parsed = parse_json(text))
        if (const auto made = decode_reply(*parsed))
          RC_ASSERT((decode_reply(encode(*made)) == made));
    }));
}
