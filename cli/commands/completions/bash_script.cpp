#include <convene/cli/commands/completions/shell_scripts.hpp>
#include <convene/cli/commands/completions/table_walk.hpp>

namespace convene::cli {
namespace {

/// The end of the script: finds the command in the words so far. Readline takes
/// `=` for a word of its own.
constexpr std::string_view bash_end = R"(_convene() {
  local cur=${COMP_WORDS[COMP_CWORD]} at='' option='' word i
  local commands flags valued first
  _convene_of ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ " $valued " == *" $word "* ]]; then
      option=$word
    elif [[ " $commands " == *" $word "* && $word != help ]]; then
      at=${at:+$at }$word
      _convene_of "$at"
    fi
  done
  [[ $cur == = ]] && cur=''
  COMPREPLY=()
  if [[ -n $option ]]; then
    word=$(_convene_words "$at $option")
  elif [[ $cur == -* ]]; then
    word="$flags $valued"
  else
    word="$commands $first"
  fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen -W "$word" -- "$cur")
}
complete -o bashdefault -o default -F _convene convene
)";

} // namespace

std::string bash_script(const command_table& program) {
  std::string of
    = "# bash completion for convene; made by `convene completions "
      "bash`.\n\n_convene_of() {\n  case $1 in\n";
  std::string words = "_convene_words() {\n  case $1 in\n";
  visit_commands(program, [&](const command_table& command,
                              const std::string& path) {
    std::vector<std::string> names;
    for (const auto& below : offered_commands(command))
      names.push_back(below.name);
    const auto first = command.arguments.empty()
                         ? std::string{}
                         : joined(command.arguments.front().words);
    of += "    " + single_quoted(path)
          + ")\n      commands=" + single_quoted(joined(names))
          + "\n      flags=" + single_quoted(option_names(command, false))
          + "\n      valued=" + single_quoted(option_names(command, true))
          + "\n      first=" + single_quoted(first) + " ;;\n";
    for (const auto& option : command.options)
      if (!option.words.empty())
        for (const auto& name : option.names)
          words += "    " + single_quoted(path + ' ' + name) + ") echo "
                   + single_quoted(joined(option.words)) + " ;;\n";
  });
  return of + "  esac\n}\n" + words + "  esac\n}\n" + std::string{bash_end};
}

} // namespace convene::cli
