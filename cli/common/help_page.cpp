#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/help_page.hpp>
#include <convene/cli/common/options.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

/// Groups of commands, in the order of the help.
constexpr std::array<std::string_view, 6> groups{"Run",       "Look",
                                                 "Compare",   "Serve",
                                                 "Documents", "Integrate"};

/// What a row has on its left, and the column of the text on its right.
constexpr std::size_t command_width = 14;
constexpr std::size_t option_width = 26;
constexpr std::size_t columns_least = 60;

/// Adds words, from column `at` on, breaking lines before `columns` and
/// indenting all but the first.
void add_wrapped(std::string& to, std::string_view words, std::size_t at,
                 std::size_t indent, std::size_t columns) {
  bool is_first = true;
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!is_first && at + 1 + word.size() > columns) {
      to.append(1, '\n').append(indent, ' ');
      at = indent;
    } else if (!is_first) {
      to += ' ';
      ++at;
    }
    to += word;
    at += word.size();
    is_first = false;
  }
  to += '\n';
}

/// A row of two columns; the right one begins below if the left one is long.
void add_row(std::string& to, const std::string& left, std::string_view right,
             std::size_t width, std::size_t columns) {
  to.append("  ").append(left);
  const auto column = 2 + width;
  const bool is_long = left.size() + 2 > width;
  if (is_long)
    to.append(1, '\n').append(column, ' ');
  else
    to.append(width - left.size(), ' ');
  add_wrapped(to, right, column, column, columns);
}

void add_title(std::string& to, std::string_view title) {
  to.append(1, '\n').append(title).append(":\n");
}

void add_commands_of(std::string& to, const CLI::App& command,
                     std::size_t columns) {
  const auto commands = command.get_subcommands({});
  const auto add_group = [&](std::string_view title, const auto& belongs) {
    bool is_empty = true;
    for (const auto* one : commands) {
      if (!belongs(one->get_group()))
        continue;
      if (std::exchange(is_empty, false))
        add_title(to, title);
      add_row(to, one->get_name(), one->get_description(), command_width,
              columns);
    }
  };
  for (const auto group : groups)
    add_group(group, [&](const std::string& name) { return name == group; });
  add_group("Commands", [](const std::string& name) {
    return std::ranges::find(groups, name) == groups.end();
  });
}

void add_options_of(std::string& to, const CLI::App& command,
                    std::string_view title, const auto& belongs,
                    std::size_t columns) {
  bool is_empty = true;
  for (const auto* one : command.get_options()) {
    if (!belongs(*one))
      continue;
    if (std::exchange(is_empty, false))
      add_title(to, title);
    auto name = one->get_name(one->get_positional(), true);
    const auto comma = name.find(',');
    if (comma != name.npos)
      name.insert(comma + 1, 1, ' ');
    const auto& value = one->get_option_text();
    if (!one->get_positional() && !value.empty() && value != " ")
      name += ' ' + value;
    add_row(to, name, one->get_description(), option_width, columns);
  }
}

/// Examples stay on their lines, so that they can be copied.
void add_footer(std::string& to, std::string_view footer, std::size_t columns) {
  if (footer.empty())
    return;
  to += '\n';
  while (!footer.empty()) {
    const auto line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(footer.size(), line.size() + 1));
    if (line.starts_with(' ') || line.starts_with("Example:"))
      to.append(line).append(1, '\n');
    else
      add_wrapped(to, line, 0, 2, columns);
  }
}

} // namespace

std::string usage_line(const CLI::App& command) {
  auto text = "Usage: " + full_name(command);
  const auto options = command.get_options(
    [](const CLI::Option* one) { return one->nonpositional(); });
  if (!options.empty())
    text += " [OPTIONS]";
  if (!command.get_subcommands({}).empty())
    text += " COMMAND";
  for (const auto* one : command.get_options()) {
    if (!one->get_positional())
      continue;
    auto name = one->get_name(true);
    if (one->get_items_expected_max() > 1)
      name += "...";
    text += one->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

const CLI::App& chosen_command(const CLI::App& program) {
  const auto* at = &program;
  while (!at->get_subcommands().empty())
    at = at->get_subcommands().front();
  return *at;
}

std::string full_name(const CLI::App& command) {
  const auto* above = command.get_parent();
  return (above == nullptr ? "" : full_name(*above) + ' ') + command.get_name();
}

std::string help_page(const CLI::App& command, std::size_t columns) {
  columns = std::max(columns, columns_least);
  std::string text;
  add_wrapped(text, command.get_description(), 0, 0, columns);
  text += '\n';
  text += usage_line(command) + '\n';
  add_commands_of(text, command, columns);
  const auto is_common = [&](const CLI::Option& one) {
    return one.get_group() == common_group;
  };
  add_options_of(
    text, command, "Arguments",
    [](const CLI::Option& one) { return one.get_positional(); }, columns);
  add_options_of(
    text, command, "Options",
    [&](const CLI::Option& one) {
      return !one.get_positional() && !is_common(one);
    },
    columns);
  add_options_of(text, command, "Common options", is_common, columns);
  add_footer(text, command.get_footer(), columns);
  return text;
}

} // namespace convene::cli
