#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/serialize.hpp>
#include <convene/cli/common/apply_settings.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

result<std::string> text_of_one(const json::value& from) {
  if (from.is_string())
    return std::string{from.get_string()};
  if (from.is_number() || from.is_bool())
    return json::serialize(from);
  return fail(errc::usage, "write a text, a number, true or false");
}

/// The setting's value as words of a command line; false has none.
result<std::vector<std::string>> words_of(const json::value& from,
                                          const CLI::Option& option) {
  std::vector<std::string> words;
  if (option.get_items_expected_max() == 0) {
    if (!from.is_bool())
      return fail(errc::usage, "write true or false");
    if (from.get_bool())
      words.emplace_back("true");
    return words;
  }
  const auto* list = from.if_array();
  if (list != nullptr
      && option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
    return fail(errc::usage, "write one value, no list");
  const json::array one(list == nullptr ? 1 : 0, from);
  for (const auto& each : list == nullptr ? one : *list) {
    auto word = text_of_one(each);
    if (!word)
      return fail(std::move(word).error());
    words.push_back(*std::move(word));
  }
  return words;
}

/// The variables as values of --set, which count only where the scenario
/// declares them.
std::vector<std::string> overrides_of(const json::value& from) {
  std::vector<std::string> words;
  for (const auto& [name, value] : from.as_object())
    words.push_back("variables." + std::string{name}
                    + "?=" + json::serialize(value));
  return words;
}

std::string option_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

/// Whether the command line has the option, for the command or before it.
bool was_given(const CLI::App& command, const std::string& name) {
  for (const auto* at = &command; at != nullptr; at = at->get_parent())
    if (const auto* found = at->get_option_no_throw(name);
        found != nullptr && found->count() != 0)
      return true;
  return false;
}

/// The option of the chosen command, unless the command line has it, has one
/// that excludes it or says the opposite, or lacks one that it needs. Null:
/// there is none to set.
CLI::Option* free_option(CLI::App& command, const std::string& name) {
  if (was_given(command, name)
      || (name == "--quiet" && was_given(command, "--verbose"))
      || (name == "--verbose" && was_given(command, "--quiet")))
    return nullptr;
  auto* option = command.get_option_no_throw(name);
  if (option == nullptr)
    return nullptr;
  const auto is_given = [](const CLI::Option* other) {
    return other->count() != 0;
  };
  return std::ranges::any_of(option->get_excludes(), is_given)
             || !std::ranges::all_of(option->get_needs(), is_given)
           ? nullptr
           : option;
}

result<void> put(CLI::Option& option, const std::vector<std::string>& words) {
  try {
    for (const auto& word : words)
      option.add_result(word);
    if (!words.empty())
      option.run_callback();
  } catch (const CLI::ParseError& failed) {
    std::string text = failed.what();
    if (const auto name = option.get_name() + ": "; text.starts_with(name))
      text.erase(0, name.size());
    return fail(errc::usage, std::move(text));
  }
  return {};
}

/// Variables come before what --set has, which then counts.
result<void> put_variables(CLI::App& command, const setting& what) {
  auto* option = command.get_option_no_throw("--set");
  if (option == nullptr)
    return {};
  auto words = overrides_of(what.value);
  const auto given = option->results();
  words.insert(words.end(), given.begin(), given.end());
  option->clear();
  return put(*option, words);
}

} // namespace

std::vector<const setting*> settings_for(const std::vector<setting>& all,
                                         std::string_view command) {
  std::vector<const setting*> chosen;
  for (const auto& one : all) {
    if (!one.command.empty() && one.command != command)
      continue;
    const auto known = std::ranges::find(chosen, one.name, &setting::name);
    if (known == chosen.end())
      chosen.push_back(&one);
    else if (!one.command.empty() || (*known)->command.empty())
      *known = &one;
  }
  return chosen;
}

error with_settings(error why, const std::vector<setting>& applied) {
  if (why.code != errc::usage)
    return why;
  const auto text = why.message + ' ';
  for (const auto& one : applied) {
    const auto at = text.find(option_name(one.name));
    if (at == text.npos)
      continue;
    const char next = text[at + option_name(one.name).size()];
    if (next == '-' || (next >= 'a' && next <= 'z'))
      continue;
    why.message += "; " + one.name + " is set at " + one.place.file + ":"
                   + std::to_string(one.place.line) + ":"
                   + std::to_string(one.place.column)
                   + ", which --no-config ignores";
  }
  return why;
}

result<std::vector<setting>> apply_settings(const std::vector<setting>& all,
                                            CLI::App& program) {
  auto* at = &program;
  std::string path;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += (path.empty() ? "" : " ") + at->get_name();
  }
  auto& command = *at;
  std::vector<setting> applied;
  for (const auto* one : settings_for(all, path)) {
    result<void> done;
    if (one->name == variables_setting)
      done = put_variables(command, *one);
    else if (auto* option = free_option(command, option_name(one->name)))
      done = words_of(one->value, *option).and_then([&](const auto& words) {
        applied.push_back(*one);
        return put(*option, words);
      });
    if (done)
      continue;
    auto why = one->place;
    why.message = done.error().message;
    return fail(std::move(why));
  }
  return applied;
}

} // namespace convene::cli
