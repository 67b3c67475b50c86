#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/command_table.hpp>
#include <convene/cli/common/help_page.hpp>
#include <convene/cli/common/options.hpp>

#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

table_option option_of(const CLI::Option& from) {
  table_option made{.about = from.get_description(),
                    .words = words_in(from.get_type_name()),
                    .takes_value = from.get_items_expected_max() > 0,
                    .is_repeated = from.get_items_expected_max() > 1,
                    .is_required = from.get_required(),
                    .is_common = from.get_group() == common_group};
  if (from.get_positional()) {
    made.names.push_back(from.get_name(true));
    return made;
  }
  for (const auto& name : from.get_lnames())
    made.names.push_back("--" + name);
  for (const auto& name : from.get_snames())
    made.names.push_back("-" + name);
  if (made.takes_value && from.get_option_text() != " ")
    made.value = from.get_option_text();
  return made;
}

json::object to_json(const table_option& from) {
  json::array names(from.names.begin(), from.names.end());
  json::object made{{"names", std::move(names)}, {"about", from.about}};
  if (from.takes_value)
    made["value"] = from.value;
  if (!from.words.empty())
    made["words"] = json::array(from.words.begin(), from.words.end());
  for (const auto& [name, is_set] : {std::pair{"repeated", from.is_repeated},
                                     {"required", from.is_required},
                                     {"common", from.is_common}})
    if (is_set)
      made[name] = true;
  return made;
}

template <class T>
json::array list_of(const std::vector<T>& all) {
  json::array made;
  for (const auto& one : all)
    made.push_back(to_json(one));
  return made;
}

} // namespace

command_table table_of(const CLI::App& command) {
  command_table made{.name = command.get_name(),
                     .about = command.get_description(),
                     .group = command.get_group(),
                     .usage = usage_line(command),
                     .footer = command.get_footer()};
  for (const auto* one : command.get_options())
    (one->get_positional() ? made.arguments : made.options)
      .push_back(option_of(*one));
  for (const auto* one : command.get_subcommands({}))
    made.commands.push_back(table_of(*one));
  return made;
}

json::object to_json(const command_table& table) {
  return {{"name", table.name},
          {"about", table.about},
          {"group", table.group},
          {"usage", table.usage},
          {"footer", table.footer},
          {"arguments", list_of(table.arguments)},
          {"options", list_of(table.options)},
          {"commands", list_of(table.commands)}};
}

} // namespace convene::cli
