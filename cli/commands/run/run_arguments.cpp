#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/commands/run/run_arguments.hpp>
#include <convene/cli/common/session_store.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>

#include <sstream>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

void add_arguments(CLI::App& command, run_arguments& arguments) {
  constexpr auto instances_max = host::run_settings::instances_max;
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
                "Seed of the ids and of what simulated participants answer")
    ->check(whole_number())
    ->option_text("S");
  command
    .add_option(
      "--instances", arguments.instances,
      "Sessions to run at the same time; default 1. With --json there "
      "are totals of them, and with --verbose each session")
    ->check(whole_number(1, instances_max))
    ->option_text("N");
  command
    .add_option(
      "--roles", arguments.roles,
      "Who takes the steps of a role: planner=agent-a,reviewer=agent-b")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("ROLE=ID,...");
  command
    .add_option("--set", arguments.overrides,
                "Set any member of the scenario by its path: "
                "session.max_turns=5; a dot in a name has a backslash before "
                "it")
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all()
    ->option_text("KEY=VALUE");
  command
    .add_option(
      "--durability", arguments.durability,
      "When an event counts as durable: none, once it is written; group, once "
      "it is on disk, before the session's end is reported; strict, also "
      "before anybody acts outside. Default group")
    ->check(one_of({"none", "group", "strict"}))
    ->option_text("LEVEL");
  add_log_upkeep(command, arguments.upkeep);
  command
    .add_option("--documents", arguments.documents,
                "Sessions whose documents and result.json are written: none; "
                "failed, those that did not complete; ended. Default ended")
    ->check(one_of({"none", "failed", "ended"}))
    ->option_text("WHICH");
  add_store(command, arguments.store);
  add_learning(command, arguments.learning);
  command
    .add_option("--profile", arguments.profile,
                "map: several agents; sa: a single agent that executes a plan, "
                "PATH being a folder with context.json and plan.json, or a "
                "scenario without a collab. Default map")
    ->check(one_of({"map", "sa"}))
    ->option_text("PROFILE");
  command
    .add_option("--approval", arguments.approval,
                "auto: a draft plan and extensions that can act are approved; "
                "require: a person approves them at the terminal before the "
                "session begins, whatever approvals the scenario has. Default "
                "auto")
    ->check(one_of({"auto", "require"}))
    ->option_text("HOW");
  command
    .add_option("--decisions", arguments.decisions,
                "File with the decisions on the plan, instead of automatic "
                "approval: a JSON array of {status, decided_by_role, reason}, "
                "of which the last one counts")
    ->option_text("FILE");
  command
    .add_option("--validation", arguments.validation,
                "What is validated against the schemas: boundary, all that "
                "comes in and goes out; input; off. Default boundary")
    ->check(one_of({"boundary", "input", "off"}))
    ->option_text("LEVEL");
  command.add_flag("--revalidate", arguments.revalidate,
                   "Validate each event again as it is written to the log");
  command.add_flag(
    "--strict", arguments.strict,
    "Documents must match the official schemas; otherwise prefixed ids, "
    "protocolVersion and the like are accepted with notes");
  add_outside(command, arguments.outside);
  add_trace(command, arguments.trace);
}

protocol::result<void> check_supported(const run_arguments& arguments) {
  if (arguments.revalidate && arguments.validation != "boundary")
    return fail(errc::usage,
                "--revalidate checks what goes out, which --validation "
                  + arguments.validation + " does not; leave one out",
                "revalidate");
  if (arguments.profile == "sa") {
    const auto refuse = [](const char* option, const char* why) {
      return fail(errc::usage,
                  std::string{"--profile sa is a single run: leave out "}
                    + option + why,
                  "profile");
    };
    if (arguments.instances != 1)
      return refuse("--instances", "");
    if (!arguments.roles.empty())
      return refuse("--roles", "; behaviours are by agent_role");
    if (arguments.documents != "ended")
      return refuse("--documents", "");
  }
  if (arguments.approval == "require" && !arguments.decisions.empty())
    return fail(errc::usage,
                "--decisions has what --approval require asks a person for; "
                "leave one out",
                "decisions");
  if (arguments.approval == "require" && !arguments.outside.interactive)
    return fail(errc::usage,
                "--approval require asks a person: add --interactive",
                "approval");
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
