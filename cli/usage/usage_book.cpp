#include <convene/cli/usage/usage_book.hpp>

#include <set>
#include <stdexcept>
#include <vector>

namespace convene::cli {
namespace {

constexpr std::string_view every_command = "*";

/// The text up to `end`, which is taken away with it.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  return taken;
}

void add_line(std::string& to, std::string_view line) {
  to.append(to.empty() ? "" : " ").append(line);
}

/// Reads what stands below a line "= COMMAND, ...".
command_usage read_section(std::string_view text) {
  command_usage made;
  option_usage* option = nullptr;
  bool is_about = true;
  while (!text.empty()) {
    const auto rest = text;
    const auto line = take_until(text, "\n");
    if (line.starts_with("    ")) {
      if (option != nullptr)
        add_line(option->about, line.substr(4));
    } else if (line.starts_with("  ")) {
      auto value = line.substr(2);
      const auto names = take_until(value, " ");
      option = &made.options[std::string{names.substr(0, names.find(','))}];
      option->names = names;
      option->value = value;
    } else if (line.empty()) {
      is_about = false;
    } else if (is_about) {
      add_line(made.about, line);
    } else {
      made.footer = rest.substr(0, rest.find_last_not_of('\n') + 1);
      break;
    }
  }
  return made;
}

} // namespace

usage_book::usage_book(std::string_view text) {
  take_until(text, "= ");
  while (!text.empty()) {
    auto section = take_until(text, "\n= ");
    auto group = take_until(section, "\n");
    auto names = take_until(group, " (");
    group = group.substr(0, group.find(')'));
    const auto read = read_section(section);
    while (!names.empty()) {
      auto& into = commands_[std::string{take_until(names, ", ")}];
      into.about += read.about;
      into.group += group;
      into.footer += read.footer;
      into.options.insert(read.options.begin(), read.options.end());
    }
  }
}

const command_usage& usage_book::command(std::string_view path) const {
  const auto found = commands_.find(path.empty() ? every_command : path);
  if (found == commands_.end() || found->second.about.empty())
    throw std::logic_error{"no usage.txt describes the command "
                           + std::string{path}};
  return found->second;
}

const option_usage& usage_book::option(std::string_view path,
                                       std::string_view name) const {
  for (const auto of : {path, every_command})
    if (const auto command = commands_.find(of); command != commands_.end())
      if (const auto found = command->second.options.find(name);
          found != command->second.options.end())
        return found->second;
  throw std::logic_error{"no usage.txt describes the option "
                         + std::string{name} + " of " + std::string{path}};
}

std::vector<std::string> usage_book::command_names() const {
  std::vector<std::string> names;
  for (const auto& [name, command] : commands_)
    if (name != every_command && !command.about.empty())
      names.push_back(name);
  return names;
}

std::vector<std::string> usage_book::option_names(std::string_view path) const {
  std::set<std::string> names;
  for (const auto& [name, command] : commands_)
    if (path.empty() || name == path || name == every_command)
      for (const auto& [option, words] : command.options)
        if (option.starts_with('-'))
          names.insert(option);
  return {names.begin(), names.end()};
}

} // namespace convene::cli
