#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <convene/cli/commands/new/scenario_scaffold.hpp>
#include <convene/protocol/base/words.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace convene::cli {
namespace {

using protocol::mode;

/// What differs from mode to mode, each part with the ends of its lines.
struct mode_parts {
  mode of;
  std::array<std::string_view, 8> people; ///< participant and role, in turn
  std::string_view work;
  std::string_view answers;
  std::string_view options;
};

constexpr std::string_view some_latency
  = R"(    "*": {"type": "simulated", "latency_ms": {"lognormal": {"median": 80, "p99": 600}}},
)";

constexpr mode_parts parts_by_mode[]{
  {.of = mode::pair,
   .people = {"driver", "coder", "navigator", "reviewer"},
   .work = {},
   .answers =
     R"(    "driver": {"type": "script", "turns": [{"content": "A first patch."}, {"content": "A second patch."}]},
    "navigator": {"type": "script", "turns": [{"content": "The test is missing."}, {"content": "Good.", "end": true}]},
)",
   .options = R"(    "rounds": 10,
    "swap_every": 2, // each is the driver for this many rounds
)"},
  {.of = mode::orchestrated,
   .people = {"lead", "orchestrator", "coder", "coder", "reviewer", "reviewer"},
   .work = {},
   .answers =
     R"(    // The lead decides who acts. With a plan, {"type": "plan"} gives each step to the participant with its role.
    "lead": {"type": "script", "decisions": [
      [{"dispatch": {"participant": "coder", "task": "Write it."}}],
      [{"dispatch": {"participant": "reviewer", "task": "Review it."}}],
      [{"complete": {"reason": "it is written and reviewed"}}],
    ]},
    "coder": {"type": "script", "turns": [{"content": "Written."}]},
    "reviewer": {"type": "script", "turns": [{"content": "Good."}]},
)",
   .options = R"(    "orchestrator": "lead",
)"},
  {.of = mode::broadcast,
   .people = {"lead", "lead", "search", "team", "payments", "team", "support",
              "team"},
   .work = {},
   .answers = some_latency,
   .options = R"(    "initiator": "lead", // all others are asked at once
    "quorum": 0.66, // enough, if this share of them has answered
)"},
  {.of = mode::swarm,
   .people = {"ann", "coder", "ben", "coder", "cy", "tester"},
   .work =
     R"(  // Each task is taken by an idle participant that has its role.
  "tasks": [
    {"title": "Write the first part", "role": "role-coder"},
    {"title": "Write the second part", "role": "role-coder"},
    {"title": "Prepare the tests", "role": "role-tester"},
  ],
)",
   .answers = some_latency,
   .options = {}},
  {.of = mode::round_robin,
   .people = {"writer", "writer", "reviewer", "reviewer"},
   .work = {},
   .answers =
     R"(    "writer": {"type": "script", "turns": [{"content": "A first draft."}, {"content": "A second draft."}]},
    "reviewer": {"type": "script", "turns": [{"content": "Say why, too."}, {"content": "Good."}]},
)",
   .options = R"(    "rounds": 2,
)"}};

/// Of everything: {0} title, {1} mode, {2} participants, {3} work, {4} answers,
/// {5} options.
constexpr const char* scenario_text
  = R"(// A scenario of convene: who takes part, how they answer, and when it ends.
// Comments and trailing commas are allowed. To run it: convene run scenario.json
{{
  "$schema": "./.vscode/convene-scenario.schema.json",
  "convene": "1",
  "collab": {{
    "title": {0},
    "purpose": "Say here what the session is for",
    "mode": "{1}",
    "participants": [
{2}    ],
  }},
  "task": "Say here what is to be done",
{3}  // How they answer. Scripts and simulated participants reach nothing outside. A language model is
  //   {{"type": "llm", "provider": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "m",
  //    "api_key_env": "OPENAI_API_KEY", "system": "You review C++."}}
  // and is called only with --allow net=127.0.0.1:8000 --allow env=OPENAI_API_KEY. A person is
  //   {{"type": "human"}}
  // and answers at the terminal with --interactive.
  "behaviours": {{
{4}  }},
  "session": {{
{5}    "turn_timeout_ms": 30000,
    "max_turns": 40,
  }},
}}
)";

} // namespace

std::string scenario_scaffold(mode mode, std::string_view title) {
  const auto& parts = *std::ranges::find(parts_by_mode, mode, &mode_parts::of);
  std::string people;
  for (std::size_t i = 0;
       i + 1 < parts.people.size() && !parts.people[i].empty(); i += 2)
    people += fmt::format(
      R"(      {{"participant_id": "{}", "kind": "agent", "role_id": "role-{}"}},
)",
      parts.people[i], parts.people[i + 1]);
  return fmt::format(scenario_text,
                     boost::json::serialize(boost::json::string{title}),
                     protocol::to_word(mode), people, parts.work, parts.answers,
                     parts.options);
}

} // namespace convene::cli
