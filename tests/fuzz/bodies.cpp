// A libFuzzer target for the JSON bodies of requests. An input is a byte that
// says what is asked, and the body.
//
// A body that is taken goes to a run that waits for an approval, a
// clarification and a turn. What is checked: a refused input records nothing,
// what is recorded can be read back from its text and gives the same run again,
// and so does a fork; and a reply that is written is read as the same.
#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/workflow/workflow.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/session/workflow/fork.hpp>
#include <convene/session/workflow/run_machine.hpp>
#include <convene/session/workflow/snapshot.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace convene;

namespace {

using events = std::vector<protocol::run_event>;

void require(bool met, const char* what) {
  if (met)
    return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

constexpr std::string_view run_id = "0a73065f-0000-4000-8000-000000000001";
constexpr std::array nodes{"approve", "ask", "talk"};

std::shared_ptr<const protocol::workflow> definition() {
  static const auto made = [] {
    const auto parsed = protocol::parse_json(R"({
      "id": "w", "name": "w", "version": "1", "edges": [], "triggers": [],
      "variables": [], "metadata": {}, "settings": {},
      "channels": {"talk": {"reducer": "message"}},
      "nodes": [
        {"id": "approve", "typeId": "core.approvalGate", "name": "a",
         "position": {"x": 0, "y": 0}, "config": {}, "inputs": {}},
        {"id": "ask", "typeId": "core.clarificationGate", "name": "b",
         "position": {"x": 0, "y": 0}, "inputs": {},
         "config": {"questions": [{"id": "q", "question": "Which?"}]}},
        {"id": "talk", "typeId": "core.conversationGate", "name": "c",
         "position": {"x": 0, "y": 0}, "inputs": {},
         "config": {"prompt": "What?", "channel": "talk"}}]})");
    require(parsed.has_value(), "the definition is JSON");
    auto read = protocol::read_workflow(*parsed);
    require(read.has_value(), "the definition is one");
    return std::make_shared<const protocol::workflow>(*std::move(read));
  }();
  return made;
}

session::run_machine new_run() {
  return {std::string{run_id}, definition(), {}};
}

/// Folds events, as they are read back from a log.
void fold_all(session::run_machine& into, const events& log) {
  for (const auto& event : log) {
    const auto parsed
      = protocol::parse_json(boost::json::serialize(protocol::encode(event)));
    require(parsed.has_value(), "a recorded event is JSON");
    const auto read = protocol::decode<protocol::run_event>(*parsed);
    require(read.has_value(), "a recorded event can be read");
    require(into.fold(*read).has_value(), "a recorded event can be folded");
  }
  require(into.check_whole().has_value(), "what one input records is whole");
}

const events& begun() {
  static const auto log = [] {
    auto run = new_run();
    return run.feed(session::start_run{}, 1'000).events;
  }();
  return log;
}

/// Feeds a run, and looks at what it records.
void feed(session::run_machine& run, events log,
          const session::run_input& input) {
  const auto made = run.feed(input, 2'000);
  require(!made.refusal || made.events.empty(), "a refusal records nothing");
  log.insert(log.end(), made.events.begin(), made.events.end());
  if (log.empty())
    return;
  auto again = new_run();
  fold_all(again, log);
  require(session::snapshot_of(again) == session::snapshot_of(run),
          "a run is what its events say");
}

void answer(const server::request& asked) {
  auto taken = server::read_answer(asked);
  if (!taken)
    return;
  auto run = new_run();
  fold_all(run, begun());
  feed(run, begun(), *std::move(taken));
}

void start(const server::request& asked) {
  auto taken = server::read_run_order(asked);
  if (!taken)
    return;
  auto run = new_run();
  feed(run, {}, std::move(taken->how));
}

void fork(const server::request& asked) {
  const auto how = server::read_fork(asked);
  if (!how)
    return;
  const auto made = session::fork_run(
    {begun(), "0a73065f-0000-4000-8000-000000000002", definition(), {}}, *how,
    3'000);
  if (!made)
    return;
  session::run_machine again{"0a73065f-0000-4000-8000-000000000002",
                             definition(),
                             {}};
  fold_all(again, made->events);
  require(session::snapshot_of(again) == session::snapshot_of(made->machine),
          "a fork is what its events say");
}

void reply(const std::string& body) {
  const auto parsed = protocol::parse_json(body);
  if (!parsed)
    return;
  const auto taken = protocol::decode_reply(*parsed);
  if (!taken)
    return;
  const auto written = protocol::encode(*taken);
  const auto again = protocol::decode_reply(written);
  require(again.has_value(), "a reply that is written can be read");
  require(protocol::encode(*again) == written, "and is the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0)
    return 0;
  server::request asked;
  asked.body.assign(data + 1, data + size);
  switch (const auto what = data[0] % 8U; what) {
    case 0:
    case 1:
    case 2:
      asked.parameters["node"] = nodes.at(what);
      [[fallthrough]];
    case 3:
      answer(asked);
      break;
    case 4:
      start(asked);
      break;
    case 5:
      fork(asked);
      break;
    case 6:
      static_cast<void>(server::read_control(asked));
      break;
    default:
      reply(asked.body);
  }
  return 0;
}
