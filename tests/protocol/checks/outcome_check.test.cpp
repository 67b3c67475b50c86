#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/documents/action_codec.hpp>

#include <map>
#include <string>
#include <vector>

using namespace convene::protocol;

namespace {

using outcome_lines = std::vector<json::value>;

const std::string prompt_hash(64, 'a');

/// A participant whose model calls a tool and then speaks, and others of one
/// action each.
const json::value behaviours = json::parse(R"({
  "ann": {"type": "llm", "model": "m", "price": {"prompt": 2}},
  "eve": {"type": "llm", "model": "m", "price": {"prompt": 2}, "fallback": [
    {"model": "n"}, {"model": "o", "dialect": "anthropic",
                     "price": {"prompt": 5}}]},
  "bob": {"type": "process", "command": ["prog", "x"]},
  "cid": {"type": "mcp", "server": "s", "tool": "t", "arguments": {"a": 1}},
  "dan": {"type": "http", "url": "http://host:80/x"}})");

json::value action_event(const std::string& type, const std::string& who,
                         const std::string& position, json::object more) {
  more["participant_id"] = who;
  more["token_id"] = "t";
  more["position"] = position;
  more["input"] = "action";
  return {{"event_type", type}, {"payload", std::move(more)}};
}

json::value begins(const std::string& who, const std::string& position,
                   const std::string& kind, const std::string& name,
                   const std::string& arguments, bool repeatable) {
  json::object payload{{"kind", kind},
                       {"name", name},
                       {"arguments", json::parse(arguments)}};
  if (repeatable)
    payload["repeatable"] = true;
  return action_event("action_started", who, position, std::move(payload));
}

json::value ends(const std::string& who, const std::string& position,
                 const std::string& result) {
  return action_event("action_ended", who, position,
                      {{"result", json::parse(result)}});
}

json::value replies(const std::string& who, const std::string& reply) {
  return action_event("MAPTurnCompleted", who, "",
                      {{"reply", json::parse(reply)}});
}

outcome_lines spoken_turn() {
  const auto arguments = R"({"provider":"openai","model":"m","prompt_sha256":")"
                         + prompt_hash + "\"}";
  return {begins("ann", "1.0", "model", "m", arguments, true),
          ends("ann", "1.0", R"({"status":"completed","output":{"text":"hm",
            "tool_calls":[{"name":"s__t","arguments":"{\"q\":7}"}],
            "usage":{"prompt_tokens":3}},
            "usage":{"prompt_tokens":3,"cost_microusd":6}})"),
          begins("ann", "1.1", "mcp", "s/t", R"({"q":7})", false),
          ends("ann", "1.1", R"({"status":"completed","output":{}})"),
          begins("ann", "2.0", "model", "m", arguments, true),
          ends("ann", "2.0", R"({"status":"completed",
            "output":{"text":"done"}})"),
          replies("ann", R"({"content":"done"})")};
}

/// Her first model and its first fallback fail: the second one answers.
outcome_lines fallback_turn() {
  const auto calls = [](const std::string& position, const std::string& model,
                        const std::string& provider) {
    return begins("eve", position, "model", model,
                  R"({"provider":")" + provider + R"(","model":")" + model
                    + R"(","prompt_sha256":")" + prompt_hash + "\"}",
                  true);
  };
  const std::string down = R"({"status":"failed","error":{"code":"c"}})";
  return {calls("1.0", "m", "openai"),
          ends("eve", "1.0", down),
          calls("1.0.1", "n", "openai"),
          ends("eve", "1.0.1", down),
          calls("1.0.2", "o", "anthropic"),
          ends("eve", "1.0.2", R"({"status":"completed","output":{
            "tool_calls":[{"name":"s__t","arguments":"{}"}],
            "usage":{"prompt_tokens":3}},
            "usage":{"prompt_tokens":3,"cost_microusd":15}})"),
          begins("eve", "1.1", "mcp", "s/t", "{}", false),
          ends("eve", "1.1", R"({"status":"completed","output":{}})"),
          calls("2.0.2", "o", "anthropic"),
          ends("eve", "2.0.2", R"({"status":"completed",
            "output":{"text":"done"}})"),
          replies("eve", R"({"content":"done"})")};
}

outcome_lines program_turn() {
  return {begins("bob", "0", "process", "prog", R"({"command":["prog","x"]})",
                 false),
          ends("bob", "0", R"({"status":"completed",
            "output":{"content":"ok","end":true}})"),
          replies("bob", R"({"content":"ok","end":true})")};
}

outcome_lines tool_turn() {
  return {begins("cid", "0", "mcp", "s/t", R"({"a":1})", false),
          ends("cid", "0", R"({"status":"completed","output":{"content":[
            {"type":"text","text":"one"},
            {"type":"resource","resource":{"text":"two"}}]}})"),
          replies("cid", R"({"content":"one\ntwo"})")};
}

outcome_lines service_turn() {
  return {action_event("MAPTurnDispatched", "dan", "", {{"task", "x"}}),
          begins("dan", "1.0", "http", "http://host:80",
                 R"({"method":"POST","task":"x"})", true),
          ends("dan", "1.0", R"({"status":"failed",
            "error":{"code":"c","message":"m"}})"),
          replies("dan", R"({"status":"failed",
            "error":{"code":"c","message":"m"}})")};
}

/// The turn as a session with digests writes it.
outcome_lines with_digests(outcome_lines lines) {
  std::map<std::string, action> asked;
  for (auto& line : lines) {
    const auto type = std::string{text_of(line.as_object(), "event_type")};
    auto& payload = line.at("payload").as_object();
    const std::string position{text_of(payload, "position")};
    if (type == "action_started") {
      json::object what;
      for (const auto* each :
           {"position", "kind", "name", "arguments", "repeatable"})
        if (payload.contains(each))
          what[each] = payload.at(each);
      asked[position] = decode_action(what).value();
    } else if (type == "action_ended") {
      payload["sha256"] = digest_of(
        asked.at(position), decode_action_result(payload.at("result")).value());
    }
  }
  return lines;
}

std::size_t findings_in(const outcome_lines& lines, bool digests = false,
                        bool* lacks_digests = nullptr) {
  session_facts facts;
  facts.started = true;
  facts.digests = digests;
  facts.behaviours = behaviours.as_object();
  std::size_t count = 0;
  const report_finding note = [&](std::string_view, const std::string&) {
    ++count;
  };
  outcome_check check;
  for (const auto& line : lines) {
    const auto& whole = line.as_object();
    check.feed({text_of(whole, "event_type"), indexed_members{whole},
                indexed_members{object_of(whole, "payload")}, 0, facts, note});
  }
  if (lacks_digests != nullptr)
    *lacks_digests = check.lacks_digests();
  return count;
}

/// The pointers of all members that are no containers.
void leaves_of(const json::value& from, const std::string& pointer,
               std::vector<std::string>& to) {
  if (const auto* object = from.if_object())
    for (const auto& [name, value] : *object)
      leaves_of(value, pointer + '/' + std::string{name}, to);
  else if (const auto* list = from.if_array())
    for (std::size_t i = 0; i < list->size(); ++i)
      leaves_of((*list)[i], pointer + '/' + std::to_string(i), to);
  else
    to.push_back(pointer);
}

json::value changed(const json::value& from) {
  if (from.is_bool())
    return !from.get_bool();
  if (from.is_int64())
    return from.get_int64() + 1;
  return json::value(std::string{from.as_string()} + "x");
}

bool names_its_request(const std::string& pointer) {
  return pointer == "/event_type" || pointer.ends_with("_id")
         || pointer.ends_with("/input");
}

} // namespace

TEST_CASE("what comes of actions is what the behaviours make of them") {
  for (const auto& turn : {spoken_turn(), fallback_turn(), program_turn(),
                           tool_turn(), service_turn()})
    CHECK(findings_in(turn) == 0);
}

TEST_CASE("an earlier version left out the resources that a tool embedded") {
  auto turn = tool_turn();
  turn.back() = replies("cid", R"({"content":"one"})");
  CHECK(findings_in(turn) == 0);
  turn.back() = replies("cid", R"({"content":"two"})");
  CHECK(findings_in(turn) > 0);
}

TEST_CASE("no member of an action or of its reply can be changed alone") {
  for (const auto& turn : {spoken_turn(), fallback_turn(), program_turn(),
                           tool_turn(), service_turn()})
    for (std::size_t i = 0; i < turn.size(); ++i) {
      std::vector<std::string> leaves;
      leaves_of(turn[i], "", leaves);
      for (const auto& pointer : leaves) {
        // Its request, and whether it was the first of two texts of a model,
        // are other rules.
        if (names_its_request(pointer) || pointer == "/payload/position"
            || pointer.ends_with("/status")
            || (turn.size() == 11 && pointer.ends_with("/code"))
            || (i == 1 && pointer.ends_with("/text") && turn.size() == 7))
          continue;
        auto edited = turn;
        auto& value = edited[i].at_pointer(pointer);
        // A hash in its form cannot be told from another one.
        value = changed(value);
        CAPTURE(i, pointer);
        CHECK(findings_in(edited) > 0);
      }
    }
}

TEST_CASE("a digest ties all of an action to all of its result") {
  for (const auto& turn :
       {spoken_turn(), program_turn(), tool_turn(), service_turn()}) {
    const auto whole = with_digests(turn);
    CHECK(findings_in(whole, true) == 0);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const bool starts = text_of(whole[i].as_object(), "event_type")
                          == "action_started";
      if (!starts && !whole[i].at("payload").as_object().contains("result"))
        continue;
      std::vector<std::string> leaves;
      leaves_of(whole[i], "", leaves);
      for (const auto& pointer : leaves) {
        if (names_its_request(pointer) || pointer == "/payload/position")
          continue;
        auto edited = whole;
        auto& value = edited[i].at_pointer(pointer);
        value = changed(value);
        CAPTURE(i, pointer);
        CHECK(findings_in(edited, true) > 0);
      }
    }
  }
}

TEST_CASE("the parts of an output that nothing follows from have a digest") {
  const auto edit_in = [](outcome_lines turn) {
    turn[3].at_pointer("/payload/result/output") = {{"content", "other"}};
    return turn;
  };
  CHECK(findings_in(edit_in(spoken_turn())) == 0);
  CHECK(findings_in(edit_in(with_digests(spoken_turn())), true) == 1);
}

TEST_CASE("a digest that was removed is missed where the others are") {
  auto turn = with_digests(program_turn());
  turn[1].at("payload").as_object().erase("sha256");
  CHECK(findings_in(turn, true) == 1);
  // The scenario's own digest was removed.
  CHECK(findings_in(with_digests(program_turn()), false) == 1);
}

TEST_CASE("a log of an earlier version lacks digests, which is no finding") {
  bool lacks = false;
  CHECK(findings_in(program_turn(), false, &lacks) == 0);
  CHECK(lacks);
  CHECK(findings_in(with_digests(program_turn()), true, &lacks) == 0);
  CHECK_FALSE(lacks);
}

TEST_CASE("a turn that goes on takes up the actions of the suspended one") {
  auto turn = spoken_turn();
  auto before = outcome_lines(turn.begin(), turn.begin() + 4);
  for (auto& line : before)
    line.at_pointer("/payload/token_id") = "earlier";
  before.push_back(
    {{"event_type", "session_input"}, {"payload", {{"input", "suspend"}}}});
  before.insert(before.end(), turn.begin() + 4, turn.end());
  CHECK(findings_in(before) == 0);
  before.back().at_pointer("/payload/reply/content") = "other";
  CHECK(findings_in(before) == 1);
}

TEST_CASE("outputs in blobs and replies that come later are not compared") {
  auto program = program_turn();
  program[1].at_pointer("/payload/result/output") = {{"blob", prompt_hash},
                                                     {"bytes", 100'000}};
  CHECK(findings_in(program) == 0);
  auto service = service_turn();
  service[2].at_pointer("/payload/result")
    = {{"status", "completed"}, {"output", {{"http_status", 202}}}};
  service[3].at_pointer("/payload/reply") = {{"content", "later"}};
  CHECK(findings_in(service) == 0);
}
