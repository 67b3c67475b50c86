#include <convene/cli/commands/completions/shell_scripts.hpp>
#include <convene/cli/commands/completions/table_walk.hpp>

namespace convene::cli {
namespace {

constexpr std::string_view zsh_end = R"(_convene() {
  local at='' option='' word
  local -a commands flags valued first choices
  integer i
  _convene_of ''
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $option ]]; then
      option=''
    elif (( ${valued[(I)${(b)word}:*]} )); then
      option=$word
    elif [[ $word != help ]] && (( ${commands[(I)${(b)word}:*]} )); then
      at=${at:+$at }$word
      _convene_of "$at"
    fi
  done
  if [[ -z $option && $words[CURRENT] == --*=* ]]; then
    option=${words[CURRENT]%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    _convene_words "$at $option"
    if (( $#choices )); then compadd -a choices; else _files; fi
  elif [[ $words[CURRENT] == -* ]]; then
    flags+=($valued)
    _describe -o option flags
  elif (( $#commands )); then
    _describe command commands
  elif (( $#first )); then
    compadd -a first
  else
    _files
  fi
}
if [[ $funcstack[1] == _convene ]]; then
  _convene "$@"
else
  compdef _convene convene
fi
)";

/// 'name:what it is for'
std::string described(const std::string& name, std::string_view about) {
  return ' ' + single_quoted(name + ':' + first_sentence(about));
}

std::string described_options(const command_table& command, bool takes_value) {
  std::string made;
  for (const auto& option : command.options)
    if (option.takes_value == takes_value)
      for (const auto& name : option.names)
        made += described(name, option.about);
  return made;
}

} // namespace

std::string zsh_script(const command_table& program) {
  std::string of = "#compdef convene\n# Made by `convene completions zsh`.\n\n"
                   "_convene_of() {\n  case $1 in\n";
  std::string words = "_convene_words() {\n  choices=()\n  case $1 in\n";
  visit_commands(program, [&](const command_table& command,
                              const std::string& path) {
    std::string names;
    for (const auto& below : offered_commands(command))
      names += described(below.name, below.about);
    const auto first = command.arguments.empty()
                         ? std::string{}
                         : joined(command.arguments.front().words);
    of += "    (" + single_quoted(path) + ")\n      commands=(" + names
          + ")\n      flags=(" + described_options(command, false)
          + ")\n      valued=(" + described_options(command, true)
          + ")\n      first=(" + first + ") ;;\n";
    for (const auto& option : command.options)
      if (!option.words.empty())
        for (const auto& name : option.names)
          words += "    (" + single_quoted(path + ' ' + name) + ") choices=("
                   + joined(option.words) + ") ;;\n";
  });
  return of + "  esac\n}\n" + words + "  esac\n}\n" + std::string{zsh_end};
}

} // namespace convene::cli
