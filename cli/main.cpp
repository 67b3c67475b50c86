#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/build_info.hpp>
#include <convene/cli/commands/catalog.hpp>
#include <convene/cli/common/apply_settings.hpp>
#include <convene/cli/common/command_table.hpp>
#include <convene/cli/common/help_page.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/stack_limits.hpp>
#include <convene/cli/usage_errors.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/runtime/about.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace convene;
using namespace convene::cli;

/// Diagnostics go to standard error, whatever the command writes.
void start_diagnostics(const common_options& common) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
    "convene", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_level(spdlog::level::from_str(common.log_level));
  if (common.verbose)
    show_rules();
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
  const auto build = this_build();
  return {{"name", "convene"},
          {"version", build.version},
          {"commit", build.commit},
          {"build_type", build.build_type},
          {"compiler", build.compiler},
          {"supported_protocol_versions", std::move(versions)},
          {"supported_profiles", std::move(profiles)}};
}

std::string version_line() {
  const auto build = this_build();
  return fmt::format("convene {} ({}, {}, {})", build.version, build.commit,
                     build.build_type, build.compiler);
}

/// The arguments, in the order in which the library takes them, the last one
/// first. `convene help COMMAND` is `convene COMMAND --help`.
std::vector<std::string> arguments_of(std::span<char*> given) {
  std::vector<std::string> arguments{given.rbegin(),
                                     given.rend() - (given.empty() ? 0 : 1)};
  const bool asks = !arguments.empty() && arguments.back() == "help";
  while (!arguments.empty() && arguments.back() == "help")
    arguments.pop_back();
  if (asks)
    arguments.emplace(arguments.begin(), "--help");
  return arguments;
}

/// Whether what is asked for describes all commands.
declared_commands declared_for(std::span<char*> given, bool json) {
  const auto has = [given](std::string_view word) {
    return std::ranges::find(given, word) != given.end();
  };
  const bool in_json = json && (has("help") || has("--help") || has("-h"));
  return in_json || has("completions") ? declared_commands::all
                                       : declared_commands::named;
}

int print_help(const CLI::App& program, bool json) {
  if (json) {
    print_json(to_json(table_of(chosen_command(program))));
    return exit_good;
  }
  constexpr std::size_t columns_max = 100;
  print(help_page(chosen_command(program),
                  std::min(output_columns(), columns_max)));
  return exit_good;
}

/// What configuration files have for options that were not given, as applied.
protocol::result<std::vector<setting>>
take_settings(CLI::App& program, const usage_book& book,
              const common_options& common) {
  // Completions are made where somebody logs in, whatever stands there.
  if (common.no_config || program.got_subcommand("completions"))
    return std::vector<setting>{};
  return read_settings(usual_settings_files(), book)
    .and_then([&](const std::vector<setting>& all) {
      return apply_settings(all, program);
    });
}

int run_program(std::span<char*> given, bool json) {
  const usage_book book{usage_text()};
  const auto& words = book.command({});
  CLI::App program{words.about, "convene"};
  common_options common;
  action chosen;
  const command_line all{program, book, common, chosen};
  all.add_common();
  // After a command its name, and those of others, are words like any.
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", version_line())
    ->description("Print the version and how it was built");
  program.footer(words.footer);
  add_commands(all, given, declared_for(given, json));
  all.refuse_empty_values();

  try {
    program.parse(arguments_of(given));
  } catch (const CLI::CallForVersion& call) {
    if (json)
      print_json(about());
    else
      print(std::string{call.what()} + '\n');
    return exit_good;
  } catch (const CLI::Success&) {
    return program.remaining(true).empty()
             ? print_help(program, json)
             : report(unknown_argument(program), json);
  } catch (const CLI::ExtrasError&) {
    return report(unknown_argument(program), json);
  } catch (const CLI::ParseError& failed) {
    return report(explain_refusal(failed, program), json);
  }
  if (!chosen) {
    if (json)
      return report(missing_command(program), json);
    static_cast<void>(print_help(program, false));
    return exit_usage;
  }
  const auto applied = take_settings(program, book, common);
  if (!applied)
    return report(applied.error(), json);
  start_diagnostics(common);
  const auto code = chosen();
  return code ? *code
              : report(with_settings(code.error(), *applied), common.json);
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
    code = reserved ? run_program(arguments, json)
                    : report(reserved.error(), json);
  } catch (const std::exception& failed) {
    code = report({.message = failed.what()}, json);
  }
  return finish_output(code);
}
