#include <convene/cli/commands/completions/shell_scripts.hpp>
#include <convene/cli/commands/completions/table_walk.hpp>

namespace convene::cli {
namespace {

/// fish knows two escapes within single quotes.
std::string fish_quoted(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      made += '\\';
    made += c;
  }
  return made + '\'';
}

std::string option_line(const table_option& option, const std::string& at) {
  auto line = "complete -c convene -n " + at;
  for (const auto& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  if (!option.words.empty())
    line += " -x -a " + fish_quoted(joined(option.words));
  else if (option.takes_value)
    line += " -r";
  return line + " -d " + fish_quoted(first_sentence(option.about)) + '\n';
}

} // namespace

std::string fish_script(const command_table& program) {
  std::string paths;
  std::string lines;
  visit_commands(program, [&](const command_table& command,
                              const std::string& path) {
    if (!path.empty())
      paths += ' '
               + fish_quoted(path.find(' ') == path.npos ? ' ' + path : path);
    const auto at = fish_quoted("__convene_at " + fish_quoted(path));
    for (const auto& below : offered_commands(command))
      lines += "complete -c convene -f -n " + at + " -a "
               + fish_quoted(below.name) + " -d "
               + fish_quoted(first_sentence(below.about)) + '\n';
    if (!command.arguments.empty() && !command.arguments.front().words.empty())
      lines += "complete -c convene -f -n " + at + " -a "
               + fish_quoted(joined(command.arguments.front().words)) + '\n';
    for (const auto& option : command.options)
      lines += option_line(option, at);
  });
  return "# fish completion for convene; made by `convene completions "
         "fish`.\n\n"
         "function __convene_at\n"
         "    set -l at\n"
         "    for word in (commandline -opc)[2..]\n"
         "        switch \"$at $word\"\n"
         "            case"
         + paths
         + "\n                set at (string trim -- \"$at $word\")\n"
           "        end\n"
           "    end\n"
           "    test \"$at\" = \"$argv[1]\"\n"
           "end\n"
         + lines;
}

} // namespace convene::cli
