#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/commands/catalog.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/stack_limits.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/runtime/about.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <sstream>
#include <string_view>

namespace {

using namespace convene;
using namespace convene::cli;

/// The command that was chosen last: of `keys new` that is `new`.
const CLI::App& innermost(const CLI::App& program) {
  const auto* at = &program;
  while (!at->get_subcommands().empty())
    at = at->get_subcommands().front();
  return *at;
}

/// "convene keys new"
std::string line_of(const CLI::App& command) {
  const auto* above = command.get_parent();
  return (above == nullptr ? "" : line_of(*above) + ' ') + command.get_name();
}

protocol::error usage(std::string message, const CLI::App& program) {
  const auto command = line_of(innermost(program));
  return {.code = protocol::errc::usage,
          .message = std::move(message) + "; see " + command + " --help"};
}

/// "run, check, ..."
std::string commands_of(const CLI::App& program) {
  std::string names;
  for (const auto* one : program.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + one->get_name();
  return names;
}

/// What the library says of a command line, in our words.
std::string why_refused(const CLI::ParseError& failed,
                        const CLI::App& program) {
  std::string text = failed.what();
  const auto& command = innermost(program);
  if (text == CLI::RequiredError::Subcommand(1).what()) {
    const auto extra = command.remaining();
    return (extra.empty() ? "name a command of "
                          : "there is no command \"" + extra.front() + "\" of ")
           + line_of(command) + ": " + commands_of(command);
  }
  constexpr std::string_view unread = "Could not convert: ";
  if (text.starts_with(unread)) {
    const auto name = text.substr(unread.size(),
                                  text.find(" = ") - unread.size());
    const auto* option = command.get_option_no_throw(name);
    const bool is_flag = option != nullptr
                         && option->get_items_expected_max() == 0;
    return name + (is_flag ? ": takes no value" : ": give a number");
  }
  if (failed.get_name() != "ArgumentMismatch")
    return text;
  const auto name = text.substr(0, text.find(": "));
  if (text.find("At Most") != text.npos)
    return name + ": is given more than once";
  return text.find(" missing") == text.npos
           ? text
           : name + ": a value is missing: give it one, or leave it out";
}

/// Diagnostics go to standard error, whatever the command writes.
void start_diagnostics(const common_options& common) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
    "convene", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_level(spdlog::level::from_str(common.log_level));
}

/// Takes the places of standard streams that the caller has closed: a log must
/// not get the number 1 or 2 and then what is written for people. Opened the
/// wrong way round, so that using them fails as if they were closed.
void hold_standard_streams() {
  for (const int number : {0, 1, 2})
    if (::fcntl(number, F_GETFD) == -1)
      static_cast<void>(::open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY));
}

/// What the program is and what it supports.
protocol::json::object about() {
  protocol::json::array versions;
  for (const auto one : protocol::supported_protocol_versions)
    versions.emplace_back(one);
  protocol::json::array profiles;
  for (const auto& one : host::supported_profiles)
    profiles.push_back({{"name", one.name}, {"id", one.id}});
  return {{"name", "convene"},
          {"version", CONVENE_VERSION},
          {"supported_protocol_versions", std::move(versions)},
          {"supported_profiles", std::move(profiles)}};
}

int run_program(int argc, char** argv, bool json) {
  const usage_book book{usage_text()};
  const auto& words = book.command({});
  CLI::App program{words.about, "convene"};
  common_options common;
  action chosen;
  const command_line all{program, book, common, chosen};
  all.add_common();
  // After a command its name, and those of others, are words like any.
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", "convene " CONVENE_VERSION);
  program.footer(words.footer);
  add_commands(all, {argv, static_cast<std::size_t>(argc)});
  all.refuse_empty_values();

  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForVersion& call) {
    if (json)
      print_json(about());
    else
      print(std::string{call.what()} + '\n');
    return exit_good;
  } catch (const CLI::Success& call) {
    std::ostringstream help;
    program.exit(call, help);
    print(help.str());
    return exit_good;
  } catch (const CLI::ExtrasError&) {
    const auto extra = program.remaining(true).front();
    const bool command = program.get_subcommands().empty()
                         && !extra.starts_with('-');
    return report(usage((command ? "there is no command \""
                                 : "unexpected argument \"")
                          + extra + '"',
                        program),
                  json);
  } catch (const CLI::ParseError& failed) {
    return report(usage(why_refused(failed, program), program), json);
  }
  if (!chosen)
    return report(usage("name a command: " + commands_of(program), program),
                  json);
  start_diagnostics(common);
  const auto code = chosen();
  return code ? *code : report(code.error(), common.json);
}

} // namespace

int main(int argc, char** argv) {
  // A reader of our output that goes away must not end a session half way.
  std::signal(SIGPIPE, SIG_IGN);
  // Nor a limit on the size of files: writing fails, which is an error.
  std::signal(SIGXFSZ, SIG_IGN);
  hold_standard_streams();
  constexpr std::size_t descriptors = 32'768; // programs, calls, connections
  host::allow_descriptors(descriptors);
  // Known before the rest is understood, so that all errors can be JSON.
  const std::span arguments{argv, static_cast<std::size_t>(argc)};
  const bool json = std::ranges::any_of(arguments, [](std::string_view one) {
    return one == "--json";
  });
  int code = exit_fault;
  try {
    const auto reserved = reserve_stacks();
    code = reserved ? run_program(argc, argv, json)
                    : report(reserved.error(), json);
  } catch (const std::exception& failed) {
    code = report({.message = failed.what()}, json);
  }
  return finish_output(code);
}
