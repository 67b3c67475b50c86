#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/help_page.hpp>
#include <convene/cli/usage_errors.hpp>
#include <convene/protocol/base/nearest.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

protocol::error refusal(std::string message, const CLI::App& command) {
  return {.code = protocol::errc::usage,
          .message = std::move(message) + "; see " + full_name(command)
                     + " --help"};
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* one : command.get_subcommands({}))
    names.push_back(one->get_name());
  if (command.get_parent() == nullptr)
    names.emplace_back("help");
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* one : command.get_options())
    for (const auto& name : one->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// `unknown command "rnu" (did you mean "run"?)`
protocol::error unknown(std::string_view kind, const std::string& written,
                        const std::vector<std::string>& known,
                        const CLI::App& command) {
  const std::vector<std::string_view> names{known.begin(), known.end()};
  return refusal("unknown " + std::string{kind} + " \"" + written + '"'
                   + protocol::suggest(written, names),
                 command);
}

/// The library's message, in our words.
std::string message_of(const CLI::ParseError& failed, const CLI::App& command) {
  std::string text = failed.what();
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

} // namespace

protocol::error missing_command(const CLI::App& command) {
  const auto extra = command.remaining();
  if (!extra.empty())
    return unknown("command", extra.front(), commands_of(command), command);
  std::string names;
  for (const auto& one : commands_of(command))
    names += (names.empty() ? "" : ", ") + one;
  return refusal(full_name(command) + " requires a command: " + names, command);
}

protocol::error explain_refusal(const CLI::ParseError& failed,
                                const CLI::App& program) {
  const auto& command = chosen_command(program);
  return std::string_view{failed.what()}
             == CLI::RequiredError::Subcommand(1).what()
           ? missing_command(command)
           : refusal(message_of(failed, command), command);
}

protocol::error unknown_argument(const CLI::App& program) {
  const auto& command = chosen_command(program);
  const auto extra = program.remaining(true).front();
  if (extra.starts_with('-'))
    return unknown("option", extra.substr(0, extra.find('=')),
                   options_of(command), command);
  if (&command == &program)
    return unknown("command", extra, commands_of(program), program);
  return refusal("unexpected argument \"" + extra + '"', command);
}

} // namespace convene::cli
