#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/integrations/intake/outcomes.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using host::incoming_kind;
using host::outcome_word;
using host::outside_outcome;

struct gate_arguments {
  std::filesystem::path log;
  std::vector<std::string> pipelines;
  std::vector<std::string> tools;
  std::string commit;
  std::uint64_t wait_ms = 0;
};

void add_options(const command_line& command, gate_arguments& arguments) {
  constexpr std::uint64_t day_ms = 86'400'000;
  command.add("--log", arguments.log).required();
  command.add("--pipeline", arguments.pipelines);
  command.add("--tool", arguments.tools);
  command.add("--commit", arguments.commit);
  command.add("--wait-ms", arguments.wait_ms, whole_number(0, day_ms));
}

std::string_view kind_word(incoming_kind kind) {
  return kind == incoming_kind::ci ? "pipeline" : "tool";
}

/// A last line that is not whole is one that is being written.
result<std::vector<outside_outcome>> read_outcomes(const gate_arguments& from) {
  host::outside_outcomes made{from.commit};
  std::optional<error> wrong;
  auto done = host::visit_lines(
    from.log, [&](std::string_view line, std::size_t number) -> result<void> {
      if (wrong)
        return fail(*wrong);
      const auto event = host::read_incoming_line(line);
      if (event)
        return made.take(*event);
      wrong = event.error();
      wrong->message = fmt::format("line {} {}", number, wrong->message);
      return {};
    });
  if (!done) {
    done.error().file = from.log.string();
    return fail(std::move(done).error());
  }
  return made.latest();
}

/// Those that are asked for; what nothing is known of is open.
std::vector<outside_outcome> chosen(const gate_arguments& from,
                                    const std::vector<outside_outcome>& all) {
  if (from.pipelines.empty() && from.tools.empty())
    return all;
  std::vector<outside_outcome> made;
  const auto choose = [&](incoming_kind kind, const std::string& name) {
    const auto before = made.size();
    std::ranges::copy_if(all, std::back_inserter(made),
                         [&](const outside_outcome& each) {
                           return each.kind == kind && each.name == name;
                         });
    if (made.size() == before)
      made.push_back({.kind = kind, .name = name, .status = "unknown"});
  };
  for (const auto& name : from.pipelines)
    choose(incoming_kind::ci, name);
  for (const auto& name : from.tools)
    choose(incoming_kind::tool, name);
  return made;
}

outcome_word verdict_of(const std::vector<outside_outcome>& all) {
  if (all.empty())
    return outcome_word::open;
  return std::ranges::max(all, {}, &outside_outcome::outcome).outcome;
}

/// As a reply of a participant, so that a step of a plan can be a gate.
json::object reply_of(const std::vector<outside_outcome>& all, bool passed,
                      const std::string& sentence) {
  json::array list;
  for (const auto& each : all)
    list.push_back({{kind_word(each.kind), sanitize_utf8(each.name)},
                    {"run", sanitize_utf8(each.run)},
                    {"status", each.status}});
  return {{"content", sanitize_utf8(sentence)},
          {"result", {{"passed", passed}, {"outcomes", std::move(list)}}}};
}

int tell(const std::vector<outside_outcome>& all,
         const common_options& common) {
  const bool passed = verdict_of(all) == outcome_word::succeeded;
  std::string sentence = passed
                           ? plural(all.size(), "outcome") + ", all succeeded"
                         : all.empty() ? "nothing is known of CI and tools"
                                       : std::string{};
  for (const auto& each : all)
    if (each.outcome != outcome_word::succeeded)
      sentence += fmt::format("{}{} {} {}", sentence.empty() ? "" : ", ",
                              kind_word(each.kind), neutral(each.name),
                              each.status);
  if (common.json)
    print_json(reply_of(all, passed, sentence));
  else if (passed && !common.quiet)
    print(sentence + '\n');
  if (!passed)
    print_note(sentence);
  return passed ? exit_good : exit_no;
}

result<int> gate(const gate_arguments& arguments,
                 const common_options& common) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between{1'000};
  const auto until = clock::now()
                     + std::chrono::milliseconds{arguments.wait_ms};
  for (;;) {
    const auto all = read_outcomes(arguments);
    if (!all)
      return fail(all.error());
    const auto asked = chosen(arguments, *all);
    if (verdict_of(asked) != outcome_word::open || clock::now() >= until)
      return tell(asked, common);
    std::this_thread::sleep_for(between);
  }
}

} // namespace

void add_gate(const command_line& program) {
  program.add<gate_arguments>("gate", gate, add_options);
}

} // namespace convene::cli
