#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/spec/normalise.hpp>
#include <support/specs.hpp>

#include <limits>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::reply;
namespace json = protocol::json;

namespace {

/// The code with which `what` becomes a failure; empty if it stays.
std::string refusal(reply what) {
  const auto before = what.status;
  normalise(what);
  const auto once = what;
  normalise(what);
  CHECK(what == once);
  protocol::byte_buffer text;
  {
    protocol::json_writer out{text};
    write_reply(out, what);
  }
  const auto parsed = protocol::parse_json(text.view());
  REQUIRE(parsed);
  const auto read = protocol::decode_reply(*parsed);
  REQUIRE(read);
  CHECK(*read == what);
  return what.status == before ? std::string{} : what.error.code;
}

reply with_result(json::value value) {
  return {.result = {{"value", std::move(value)}}};
}

} // namespace

TEST_CASE("a sound reply stays as it is") {
  CHECK(refusal(says("hello")) == "");
  reply full{.content = "text",
             .writes = {{"file", "a", 3, protocol::write_op::merge, {1}}},
             .claim = {{"file", "a", true, "b"}},
             .handoff = protocol::handoff{"b", "do it", "busy"},
             .vote = protocol::vote{"c", "b"},
             .tasks = {{"title", "more", {"file"}, "writer"}},
             .decision = {protocol::complete_decision{false, "done"}},
             .end = true,
             .usage = {1, 2, 3},
             .reasoning = {"because"},
             .result = {{"n", 1}, {"x", 0.5}}};
  const auto before = full;
  CHECK(refusal(full) == "");
  normalise(full);
  CHECK(full == before);
}

TEST_CASE("text that is not UTF-8 is mended wherever it stands") {
  const std::string bad = "a\xff";
  reply what{.content = bad,
             .writes = {{bad, bad}},
             .tasks = {{bad, bad, {bad}, bad}},
             .decision
             = {protocol::dispatch_decision{.participant = bad, .task = bad},
                protocol::close_step_decision{bad, true, bad},
                protocol::broadcast_decision{bad},
                protocol::complete_decision{true, bad}},
             .reasoning = {bad},
             .error = {bad, bad}};
  CHECK(refusal(what) == "");
  normalise(what);
  CHECK(what.content == "a\xef\xbf\xbd");
  CHECK(what.tasks[0].resources[0] == what.content);
  CHECK(what.writes[0].resource_id == what.content);
  CHECK(refusal({.writes = {{"file", "a", 0, {}, json::string{bad}}}})
        == "invalid_utf8");
  CHECK(refusal({.result = {{bad, 1}}}) == "invalid_utf8");
  CHECK(refusal(with_result(json::string{bad})) == "invalid_utf8");
}

TEST_CASE("a reply has bounds") {
  CHECK(refusal({.content = std::string(message_bytes_max + 1, 'x')})
        == "message_bytes_max");
  CHECK(refusal({.reasoning = {std::string(message_bytes_max + 1, 'x')}})
        == "message_bytes_max");
  CHECK(refusal({.decision = {protocol::dispatch_decision{
                   .participant = std::string(message_bytes_max + 1, 'x')}}})
        == "message_bytes_max");
  CHECK(refusal(with_result(json::string(message_bytes_max + 1, 'x')))
        == "message_bytes_max");
  CHECK(refusal({.tasks = std::vector<protocol::task>(257, {.title = "t"})})
        == "tasks_per_reply_max");
  CHECK(refusal({.decision = std::vector<protocol::decision>(
                   65, protocol::wait_decision{})})
        == "decisions_per_reply_max");
  CHECK(refusal({.writes = std::vector<protocol::resource_write>(
                   65, {.resource_type = "file", .resource_id = "a"})})
        == "writes_per_reply_max");
  CHECK(refusal({.claim = std::vector<protocol::claim>(65, {"file", "a"})})
        == "claims_per_reply_max");
  CHECK(
    refusal(
      {.writes = {{"file", "a", 0, {}, json::string(message_bytes_max, 'x')}}})
    == "message_bytes_max");
  CHECK(refusal({.reasoning = std::vector<std::string>(65, "so")})
        == "reasoning_max");
  json::value deep = 1;
  for (int n = 0; n < 70; ++n)
    deep = json::array{std::move(deep)};
  CHECK(refusal(with_result(std::move(deep))) == "reply_depth_max");
}

TEST_CASE("a reply keeps the rules of its codec, whoever made it") {
  CHECK(refusal({.tasks = {{.description = "no title"}}})
        == "task_title_required");
  CHECK(refusal({.claim = {{"", "a"}}}) == "invalid_claim");
  CHECK(refusal({.claim = {{"file", ""}}}) == "invalid_claim");
  CHECK(refusal({.claim = {{"file", "a", true}}, .claim_all = true})
        == "invalid_claim");
  CHECK(refusal({.claim = {{"file", "a", false, "ben"}}, .claim_all = true})
        == "invalid_claim");
  CHECK(refusal({.vote = protocol::vote{"", "a"}}) == "invalid_vote");
  CHECK(refusal({.vote = protocol::vote{"c", ""}}) == "invalid_vote");
  CHECK(refusal({.writes = {{"", "a"}}}) == "invalid_write");
  CHECK(refusal({.writes = {{"file", ""}}}) == "invalid_write");
  CHECK(refusal({.writes = {{"file", "a", -1}}}) == "invalid_write");
  CHECK(refusal({.decision = {protocol::dispatch_decision{}}})
        == "invalid_decision");
  CHECK(refusal({.decision = {protocol::dispatch_decision{.participant = "a",
                                                          .role = "b"}}})
        == "invalid_decision");
  CHECK(refusal({.decision = {protocol::close_step_decision{}}})
        == "invalid_decision");
  CHECK(refusal({.decision = {protocol::handoff{}}}) == "invalid_decision");
  CHECK(refusal({.decision = {protocol::ask_decision{"a", ""}}})
        == "invalid_decision");
  CHECK(refusal({.decision = {protocol::dispatch_decision{
                   .role = "a",
                   .resources = {{protocol::resource_ref{"file", ""}}}}}})
        == "invalid_decision");
  CHECK(refusal({.decision = {protocol::dispatch_decision{
                   .role = "a",
                   .resources
                   = std::vector<protocol::resource_ref>(65, {"file", "a"})}}})
        == "resources_per_dispatch_max");
  CHECK(refusal({.handoff = protocol::handoff{}}) == "invalid_handoff");
  CHECK(refusal(with_result(std::numeric_limits<double>::infinity()))
        == "number_range");
  CHECK(refusal(with_result(std::numeric_limits<double>::quiet_NaN()))
        == "number_range");
}

TEST_CASE("what a reply cost is kept, but never below 0, of a failure too") {
  reply what{.tasks = {{}}, .usage = {-5, 7, std::int64_t{1} << 60}};
  CHECK(refusal(what) == "task_title_required");
  normalise(what);
  CHECK(what.usage == protocol::usage{0, 7, std::int64_t{1} << 60});
}

TEST_CASE("a reason is UTF-8 and short, and stays what it has become") {
  for (std::string text : {std::string{"lost \xff"}, std::string(9000, '\xff'),
                           "x" + std::string(5000, 'y'), [] {
                             std::string umlauts = "x";
                             for (int n = 0; n < 3000; ++n)
                               umlauts += "\xc3\xa4";
                             return umlauts;
                           }()}) {
    normalise_reason(text);
    CHECK(protocol::valid_utf8(text));
    CHECK(text.size() <= 4096);
    const auto once = text;
    normalise_reason(text);
    CHECK(text == once);
  }
}
