#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/log_upkeep.hpp>
#include <convene/cli/common/run_arguments.hpp>

#include <sstream>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

void add_arguments(CLI::App& command, run_arguments& arguments) {
  constexpr std::uint32_t instances_max = 1'000'000;
  command
    .add_option("PATH", arguments.path,
                "A scenario file, or a folder of MPLP documents")
    ->required()
    ->option_text(" ");
  command
    .add_option("--out", arguments.out,
                "Folder for the log and the documents, new or empty; default "
                "convene-out/<session id>")
    ->option_text("DIR");
  command
    .add_option("--seed", arguments.seed,
                "Draws what simulated participants answer, and the ids")
    ->check(whole_number)
    ->option_text("S");
  command
    .add_option("--instances", arguments.instances,
                "Sessions to run at the same time; default 1")
    ->check(CLI::Range(1U, instances_max))
    ->option_text("N");
  command
    .add_option("--roles", arguments.roles,
                "Who takes a plan's steps: planner=agent-a,reviewer=agent-b")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("ROLE=ID,...");
  command
    .add_option("--set", arguments.overrides,
                "Set any member of the scenario by its path: "
                "session.max_turns=5")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("KEY=VALUE");
  command
    .add_option("--durability", arguments.durability,
                "When an event is kept: none, once it is written; group, once "
                "it is on the disk, before the session's end is told; strict, "
                "also before anybody acts outside. Default group")
    ->check(CLI::IsMember({"none", "group", "strict"}))
    ->option_text("LEVEL");
  add_log_upkeep(command, arguments.upkeep);
  command
    .add_option("--profile", arguments.profile,
                "map: several agents; sa is not supported yet")
    ->check(CLI::IsMember({"map", "sa"}))
    ->option_text("map");
  command
    .add_option("--approval", arguments.approval,
                "auto: a draft plan is approved; require is not supported yet")
    ->check(CLI::IsMember({"auto", "require"}))
    ->option_text("auto");
  command
    .add_option("--validation", arguments.validation,
                "What is validated against the schemas: boundary, all that "
                "comes in and goes out; input; off. Default boundary")
    ->check(CLI::IsMember({"boundary", "input", "off"}))
    ->option_text("LEVEL");
  command.add_flag("--revalidate", arguments.revalidate,
                   "Validate each event once more, as it goes on the log");
  command.add_flag("--strict", arguments.strict,
                   "Documents must be as the official schemas have them; else "
                   "prefixed ids, protocolVersion and the like are taken with "
                   "notes");
  command.add_flag("--interactive", arguments.interactive,
                   "Not supported yet: people answer on the terminal");
}

protocol::result<void> check_supported(const run_arguments& arguments) {
  if (arguments.revalidate && arguments.validation != "boundary")
    return fail(errc::usage,
                "--revalidate looks at what goes out, which --validation "
                  + arguments.validation + " does not; leave one out",
                "revalidate");
  if (arguments.profile != "map")
    return fail(errc::unsupported,
                "--profile sa: this version runs the profile map only",
                "profile");
  if (arguments.approval != "auto")
    return fail(errc::unsupported,
                "--approval require: this version approves plans by itself "
                "only",
                "approval");
  if (arguments.interactive)
    return fail(errc::unsupported,
                "--interactive: this version does not ask people",
                "interactive");
  return {};
}

protocol::result<std::map<std::string, std::string>>
assignments(const run_arguments& arguments) {
  std::map<std::string, std::string> all;
  const auto refuse = [](const std::string& pair, const char* why) {
    return fail(errc::usage, "--roles " + pair + ": " + why, "roles");
  };
  for (const auto& list : arguments.roles) {
    std::istringstream pairs{list};
    for (std::string pair; std::getline(pairs, pair, ',');) {
      const auto equals = pair.find('=');
      if (equals == pair.npos || equals == 0 || equals + 1 == pair.size())
        return refuse(pair, "give it as role=participant");
      if (!all.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
        return refuse(pair, "the role is assigned twice");
    }
  }
  return all;
}

} // namespace convene::cli
