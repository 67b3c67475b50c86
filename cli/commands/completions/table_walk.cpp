#include <convene/cli/commands/completions/table_walk.hpp>

namespace convene::cli {
namespace {

void visit_below(const command_table& command, const std::string& path,
                 const table_visitor& visit) {
  visit(command, path);
  for (const auto& below : command.commands)
    visit_below(below, path.empty() ? below.name : path + ' ' + below.name,
                visit);
}

} // namespace

void visit_commands(const command_table& program, const table_visitor& visit) {
  visit_below(program, {}, visit);
}

std::vector<command_table> offered_commands(const command_table& command) {
  auto all = command.commands;
  if (command.name == "convene")
    all.push_back({.name = "help", .about = "Print the help of a command"});
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string made;
  for (const auto& word : words)
    made += (made.empty() ? "" : " ") + word;
  return made;
}

std::string option_names(const command_table& command, bool takes_value) {
  std::vector<std::string> names;
  for (const auto& one : command.options)
    if (one.takes_value == takes_value)
      names.insert(names.end(), one.names.begin(), one.names.end());
  return joined(names);
}

std::string first_sentence(std::string_view about) {
  for (const std::string_view end : {". ", "; ", ": "})
    about = about.substr(0, about.find(end));
  if (about.ends_with('.'))
    about.remove_suffix(1);
  return std::string{about};
}

std::string single_quoted(std::string_view text) {
  std::string made = "'";
  for (const char c : text)
    if (c == '\'')
      made += "'\\''";
    else
      made += c;
  return made + '\'';
}

} // namespace convene::cli
