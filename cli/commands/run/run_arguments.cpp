#include <convene/cli/commands/run/run_arguments.hpp>
#include <convene/cli/common/session_store.hpp>
#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/tally.hpp>

#include <sstream>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

void add_arguments(const command_line& command, run_arguments& arguments) {
  constexpr auto instances_max = host::run_settings::instances_max;
  command.add("PATH", arguments.path).required();
  command.add("--out", arguments.out);
  command.add("--dry-run", arguments.dry_run);
  command.add("--seed", arguments.seed, whole_number());
  command.add("--instances", arguments.instances,
              whole_number(1, instances_max));
  command.add("--roles", arguments.roles);
  command.add("--set", arguments.overrides);
  command.add("--durability", arguments.durability,
              one_of({"none", "group", "strict"}));
  add_log_upkeep(command, arguments.upkeep);
  command.add("--documents", arguments.documents,
              one_of({"none", "failed", "ended"}));
  add_fail_on(command, arguments.fail_on);
  add_store(command, arguments.store);
  add_learning(command, arguments.learning);
  command.add("--profile", arguments.profile, one_of({"map", "sa"}));
  command.add("--approval", arguments.approval, one_of({"auto", "require"}));
  command.add("--decisions", arguments.decisions);
  command.add("--validation", arguments.validation,
              one_of({"boundary", "input", "off"}));
  command.add("--revalidate", arguments.revalidate);
  command.add("--strict", arguments.strict);
  add_outside(command, arguments.outside);
  add_trace(command, arguments.trace);
  const auto urls = command.add("--url", arguments.urls);
  command.add("--cluster", arguments.cluster).excludes(urls);
  command.add("--node", arguments.where.node);
  command.add("--label", arguments.where.label);
  add_key_options(command, arguments.server);
}

namespace {

/// What a server decides itself, or has no way to do.
protocol::result<void> check_remote(const run_arguments& arguments) {
  const run_arguments usual;
  const auto& outside = arguments.outside;
  for (const auto& [is_given, option] :
       {std::pair{arguments.instances != 1, "--instances"},
        std::pair{arguments.seed.has_value(), "--seed"},
        std::pair{arguments.profile != usual.profile, "--profile"},
        std::pair{arguments.durability != usual.durability, "--durability"},
        std::pair{arguments.validation != usual.validation, "--validation"},
        std::pair{arguments.revalidate, "--revalidate"},
        std::pair{arguments.documents != usual.documents, "--documents"},
        std::pair{!outside.allow.empty(), "--allow"},
        std::pair{outside.interactive && arguments.approval != "require",
                  "--interactive"}})
    if (is_given)
      return fail(errc::usage,
                  std::string{option}
                    + " concerns sessions of this process: leave it out with "
                      "--url and --cluster, where the server decides",
                  "remote_run");
  return {};
}

} // namespace

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
  if (arguments.is_remote())
    return check_remote(arguments);
  if (!arguments.where.node.empty() || !arguments.where.label.empty())
    return fail(errc::usage,
                "--node and --label are for a server: add --url or --cluster",
                "remote_run");
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
