#include "hosted.hpp"

#include <convene/server/runs/run_stream.hpp>

using namespace convene::tests;

namespace {

/// What a reader gets from an event on, to the stream's end.
std::string read_all(const hosting& host, const std::string& run,
                     const stream_modes& modes, std::size_t from = 0,
                     std::size_t bytes_max = 1) {
  run_stream stream{host.found(run), modes, from, host->timer()};
  std::string all;
  for (;;) {
    auto more = std::make_shared<std::promise<void>>();
    auto part = stream.read(bytes_max, [more] { more->set_value(); });
    all += part.bytes;
    if (part.is_last)
      return all;
    if (part.bytes.empty())
      REQUIRE(more->get_future().wait_for(std::chrono::minutes{2})
              == std::future_status::ready);
  }
}

stream_modes modes_of(std::string_view words, std::string_view buffer = "0") {
  stream_refusal why;
  const auto made = read_stream_modes(words, buffer, why);
  REQUIRE(made);
  return *made;
}

/// The values of a field of all server-sent events.
std::string field(const std::string& stream, const std::string& name) {
  std::string all;
  std::size_t at = 0;
  while (at < stream.size()) {
    const auto end = stream.find('\n', at);
    const auto line = stream.substr(at, end - at);
    if (line.starts_with(name + ": "))
      all += line.substr(name.size() + 2) + ' ';
    at = end + 1;
  }
  return all;
}

} // namespace

TEST_CASE("a stream of all events has their sequences as ids") {
  hosting host;
  const auto run = host.start("conformance-multi-node").run_id;
  const auto all = read_all(host, run, modes_of("debug"));
  CHECK(field(all, "id") == "0 1 2 3 4 5 6 7 ");
  std::string data;
  for (const auto& each : host.events(run))
    data += each + ' ';
  CHECK(field(all, "data") == data);
  CHECK(field(all, "event").starts_with("run.started node.started "));
}

TEST_CASE("a stream that was cut anywhere goes on without a gap or a repeat") {
  hosting host;
  const auto run = host.start("conformance-multi-node").run_id;
  const auto whole = read_all(host, run, modes_of("debug"));
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    // What a reader has: the events whose blank line it has read.
    const auto end = whole.rfind("\n\n", cut >= 2 ? cut - 2 : 0);
    const auto got = cut >= 2 && end != whole.npos ? whole.substr(0, end + 2)
                                                   : "";
    std::size_t from = 0;
    for (std::size_t at = 0; (at = got.find("\n\n", at)) != got.npos; at += 2)
      ++from;
    INFO(cut);
    REQUIRE(got + read_all(host, run, modes_of("debug"), from) == whole);
  }
}

TEST_CASE("a stream that finds nothing to send lets others have their turn") {
  hosting host;
  const auto run = host.found(host.start("conformance-approval").run_id);
  const auto text = std::make_shared<const std::string>(
    R"({"type":"channel.written","payload":")" + std::string(10'000, 'x')
    + "\"}");
  const std::size_t count = 400;
  run->record->add(std::vector<event_text>(count, text));
  run->record->show(all_events, false);
  run_stream stream{run, modes_of("messages"), 0, host->timer()};
  std::size_t turns = 0;
  for (bool goes_on = true; goes_on; ++turns) {
    goes_on = false;
    const auto part = stream.read(1, [&goes_on] { goes_on = true; });
    CHECK(part.bytes.empty());
    CHECK_FALSE(part.is_last);
  }
  CHECK(turns > 10);
}

TEST_CASE("a reader that waits is sent what happens, and the end") {
  hosting host;
  const auto run = host.start("conformance-approval").run_id;
  run_stream stream{host.found(run), modes_of("updates"), 0, host->timer()};
  CHECK(field(stream.read(100'000, [] {}).bytes, "event")
        == "run.started node.suspended interrupt.requested ");
  std::promise<void> more;
  CHECK(stream.read(100'000, [&more] { more.set_value(); }).bytes.empty());
  host.answer(run, "gate", R"({"action": "accept"})");
  more.get_future().wait();
  const auto rest = stream.read(100'000, [] {});
  CHECK(rest.is_last);
  CHECK(field(rest.bytes, "event").ends_with("run.completed "));
}

TEST_CASE("values are snapshots, and a reader that resumes is sent one first") {
  hosting host;
  const auto run = host.start("conformance-multi-node").run_id;
  const auto all = read_all(host, run, modes_of("values"));
  CHECK(field(all, "event").find("run.") == std::string::npos);
  CHECK(field(all, "event").starts_with("state.snapshot "));
  CHECK(field(all, "id") == "0 1 2 3 4 5 6 7 ");
  const auto rest = read_all(host, run, modes_of("values"), 6);
  CHECK(field(rest, "id") == "5 6 7 ");
  const auto last = rest.substr(rest.rfind("data: ") + 6);
  CHECK(convene::protocol::parse_json(last.substr(0, last.find('\n')))
          .value()
          .as_object()
        == host.snapshot(run));
}

TEST_CASE("a buffer is sent as one, with the highest id, and not after the "
          "run's end") {
  hosting host;
  const auto run = host.start("conformance-multi-node").run_id;
  auto modes = modes_of("debug", "5000");
  modes.buffer = std::chrono::hours{1}; // which nobody waits for
  const auto all = read_all(host, run, modes, 0, 100'000);
  CHECK(field(all, "event") == "batch ");
  CHECK(field(all, "id") == "7 ");
  const auto data = field(all, "data");
  CHECK(convene::protocol::parse_json(data.substr(0, data.size() - 1))
          .value()
          .as_array()
          .size()
        == 8);
}

TEST_CASE("a buffer that is full is sent before its time") {
  hosting host;
  const auto run
    = host
        .start("conformance-delay",
               {{"delayMs", 30'000}, {"more", std::string(999, 'x')}})
        .run_id;
  run_stream stream{host.found(run), modes_of("debug", "5000"), 0,
                    host->timer()};
  CHECK(field(stream.read(100, [] {}).bytes, "event") == "batch ");
}

TEST_CASE("what is buffered is sent when its time is over") {
  hosting host;
  const auto run
    = host.start("conformance-delay", {{"delayMs", 30'000}}).run_id;
  run_stream stream{host.found(run), modes_of("debug", "20"), 0, host->timer()};
  for (;;) {
    const auto more = std::make_shared<std::promise<void>>();
    const auto part = stream.read(100'000, [more] { more->set_value(); });
    if (!part.bytes.empty()) {
      CHECK(field(part.bytes, "event") == "batch ");
      break;
    }
    REQUIRE(more->get_future().wait_for(std::chrono::minutes{2})
            == std::future_status::ready);
  }
}

TEST_CASE("a reader behind the end of a run gets nothing, and the end") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  host.events_at_end(run);
  CHECK(read_all(host, run, modes_of("debug"), 1'000).empty());
}

namespace {

/// A run whose node waits for a session, which the test speaks for.
class spoken_run {
public:
  spoken_run() {
    host.add_workflow(R"({"id": "own", "name": "own", "version": "1",
      "edges": [], "triggers": [], "variables": [], "metadata": {},
      "settings": {}, "nodes": [{"id": "talk", "typeId": "convene.session",
      "name": "talk", "position": {"x": 0, "y": 0},
      "config": {"scenario": {}}, "inputs": {}}]})");
    run = host.start("own").run_id;
    begun.get_future().wait();
  }

  void say(const std::string& text) {
    host.texts->say(session.session_id, "ada", text);
  }
  void end() {
    ended({.node_id = "talk", .session_id = session.session_id});
  }
  /// What comes next, the end or something that is not empty.
  std::string next(run_stream& stream) {
    for (;;) {
      auto more = std::make_shared<std::promise<void>>();
      auto part = stream.read(100'000, [more] { more->set_value(); });
      if (part.is_last || !part.bytes.empty())
        return part.bytes;
      REQUIRE(more->get_future().wait_for(std::chrono::minutes{2})
              == std::future_status::ready);
    }
  }
  run_stream listen(std::string_view modes, std::size_t from = 0) {
    return {host.found(run), modes_of(modes), from, host->timer()};
  }

private:
  std::promise<void> begun;
  convene::session::start_session session;
  run_sessions::when_ended ended;

public:
  hosting host{{.start = [this](const auto& what, const auto&, auto then) {
    session = what;
    ended = std::move(then);
    begun.set_value();
  }}};
  std::string run;
};

} // namespace

TEST_CASE("what is said in a node's session is sent as it is said, without an "
          "id, to who listens in the mode messages") {
  spoken_run uut;
  uut.say("nobody listens");
  auto stream = uut.listen("messages");
  auto other = uut.listen("debug");
  CHECK(stream.read(100'000, [] {}).bytes.empty());
  uut.say("Hello ");
  uut.say("you");
  const auto said = uut.next(stream);
  CHECK(field(said, "id").empty());
  CHECK(field(said, "event") == "ai.message.chunk ai.message.chunk ");
  CHECK(
    field(said, "data")
    == R"({"runId":")" + uut.run
         + R"(","nodeId":"talk","chunk":"Hello ","isLast":false,"meta":{"participant":"ada"}} )"
         + R"({"runId":")" + uut.run
         + R"(","nodeId":"talk","chunk":"you","isLast":false,"meta":{"participant":"ada"}} )");
  CHECK(uut.next(other).find("chunk") == std::string::npos);
  uut.end();
  CHECK(uut.next(stream).find(R"("chunk":"","isLast":true)")
        != std::string::npos);
  CHECK(stream.read(100'000, [] {}).is_last);
  uut.say("too late");
  CHECK(read_all(uut.host, uut.run, modes_of("messages")).empty());
}

TEST_CASE("who reads events and messages gets every event, and is told how "
          "much was said that it was too slow for") {
  spoken_run uut;
  auto stream = uut.listen("updates,messages", 2);
  const std::string piece(1'000, 'x');
  for (int i = 0; i < 100; ++i)
    uut.say(piece);
  const auto first = uut.next(stream);
  CHECK(first.size() > 30'000);
  CHECK(first.size() < 100'000);
  uut.say("on");
  const auto next = uut.next(stream);
  CHECK(next.find(R"("droppedBytes":)") != std::string::npos);
  uut.end();
  std::string rest;
  for (std::string more; !(more = uut.next(stream)).empty();)
    rest += more;
  CHECK(field(rest, "event")
        == "ai.message.chunk node.completed run.completed ");
  CHECK(field(rest, "id") == "2 3 ");
}

TEST_CASE("a run that has ended is not held for a reader between reads") {
  hosting host;
  const auto id = host.start("conformance-multi-node").run_id;
  host.events_at_end(id);
  const auto all = read_all(host, id, modes_of("debug"));
  const auto source = host.found(id);
  const auto copy = [&source] {
    auto made = std::make_shared<hosted_run>(source->id, source->workflow,
                                             convene::session::run_options{});
    restore(*made, source->record->all());
    return made;
  };
  std::shared_ptr<hosted_run> loaded;
  int loads = 0;
  std::weak_ptr<hosted_run> held;
  auto run = copy();
  held = run;
  run_stream stream{std::move(run),
                    modes_of("debug"),
                    0,
                    host->timer(),
                    {.near = [&]() -> std::optional<decltype(loaded)> {
                       if (loaded)
                         return std::exchange(loaded, nullptr);
                       return std::nullopt;
                     },
                     .load =
                       [&](const std::function<void(bool)>& then) {
                         if (++loads > 3)
                           return then(false), true;
                         loaded = copy();
                         held = loaded;
                         then(true);
                         return true;
                       }}};
  std::string read;
  int called = 0;
  for (;;) {
    const auto part = stream.read(1, [&called] { ++called; });
    CHECK(held.expired() == (loaded == nullptr));
    read += part.bytes;
    if (part.is_cut || part.is_last)
      break;
  }
  CHECK(called == 4);
  CHECK(loads == 4);
  // It was found three times, and then no more.
  CHECK(field(read, "id") == "0 1 2 3 ");
  CHECK(all.starts_with(read));
}
