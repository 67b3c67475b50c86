#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/session_documents.hpp>
#include <protocol/boundary/other_schemas.hpp>

using namespace convene;
using namespace convene::tests;
using protocol::errc;
using test::changed_rules;
using test::payload_of;

namespace {

std::unique_ptr<convene::runtime>
runtime_with(std::shared_ptr<const protocol::boundary::rules> rules,
             runtime_options how = {}) {
  return host::runtime_access::open(how, std::move(rules)).value();
}

} // namespace

TEST_CASE("a session that the schema refuses says where and by what") {
  const auto level = GENERATE(validation_level::boundary,
                              validation_level::input, validation_level::off);
  const auto rt = runtime_with(
    changed_rules("/definitions/resolved_scenario/properties/task/maxLength",
                  "3"),
    {.validation = level});
  const auto ended = rt->start(two_in(mode::pair)).await();
  if (level == validation_level::off) {
    REQUIRE(ended);
    CHECK(ended->status == collab_status::completed);
    CHECK(rt->refused().inputs_refused == 0);
    return;
  }
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == errc::invalid_document);
  CHECK(ended.error().pointer == "/task");
  CHECK(ended.error().rule == "maxLength");
  CHECK(ended.error().message == "expected at most 3 characters");
  CHECK(rt->refused().inputs_refused == 1);
}

TEST_CASE("a reply that the schema refuses fails the turn with its place") {
  const auto level = GENERATE(validation_level::boundary,
                              validation_level::input, validation_level::off);
  const auto rt = runtime_with(
    changed_rules("/definitions/reply/properties/content/maxLength", "3"),
    {.validation = level});
  std::string log;
  auto setup = two_in(mode::round_robin);
  const auto ended
    = rt->start(setup, [&log](auto, std::string_view lines) { log += lines; })
        .await();
  REQUIRE(ended);
  const bool refused = level != validation_level::off;
  CHECK((log.find(R"("error":{"code":"invalid_reply","message":"/content: )"
                  R"(expected at most 3 characters)")
         != log.npos)
        == refused);
  CHECK((rt->refused().inputs_refused != 0) == refused);
  CHECK(rt->refused().outputs_refused == 0);
}

TEST_CASE("an event that is not valid ends its session, logged and counted") {
  const bool every_line = GENERATE(false, true);
  const scratch_folder folder;
  const auto file = folder / "events.jsonl";
  {
    const auto rt
      = runtime_with(changed_rules(payload_of("MAPTurnDispatched")
                                     + "/properties/turn_number/maximum",
                                   "1"),
                     {.log = file, .revalidate = every_line});
    const auto ended = rt->start(two_in(mode::round_robin)).await();
    REQUIRE(ended);
    CHECK(ended->status == collab_status::cancelled);
    CHECK(ended->stop_reason.condition == "fault");
    CHECK(ended->stop_reason.observed.find("/payload/turn_number")
          != std::string::npos);
    CHECK(rt->refused().outputs_refused == 1);
    REQUIRE(rt->close());
  }
  CHECK(read_bytes(file).find(R"("turn_number":2)") == std::string::npos);
  std::size_t sessions = 0;
  CHECK(findings_in(file, sessions) == "");
  CHECK(sessions == 1);
}

TEST_CASE("with input or off, nothing looks at what goes out") {
  const auto level = GENERATE(validation_level::input, validation_level::off);
  const auto rt
    = runtime_with(changed_rules(payload_of("MAPTurnDispatched")
                                   + "/properties/turn_number/maximum",
                                 "1"),
                   {.validation = level});
  const auto ended = rt->start(two_in(mode::round_robin)).await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(rt->refused().outputs_refused == 0);
}

TEST_CASE("every mode runs with every event validated twice") {
  for (const auto which : all_modes)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      convene::runtime rt{{.seed = seed, .revalidate = true}};
      const auto ended = rt.start(simulated_in(which, seed)).await();
      INFO(how(ended));
      REQUIRE(ended);
      CHECK(ended->stop_reason.condition != "fault");
      CHECK(rt.refused().outputs_refused == 0);
    }
}

TEST_CASE("documents that are not valid are not to be written") {
  convene::runtime rt;
  const auto ended = rt.start(two_in(mode::pair)).await();
  REQUIRE(ended);
  host::trace_builder no_events;
  auto documents = host::make_documents(*ended, no_events);
  documents.trace.trace_id = "none";
  CHECK(rt.check_documents(documents).error().pointer == "/trace/trace_id");
  documents = host::make_documents(*ended, no_events);
  documents.collab["title"] = "";
  const auto refused = rt.check_documents(documents);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::internal);
  CHECK(refused.error().pointer == "/collab/title");
  CHECK(refused.error().rule == "minLength");
  CHECK(rt.refused().outputs_refused == 2);
  convene::runtime trusting{{.validation = validation_level::input}};
  CHECK(trusting.check_documents(documents));
}
