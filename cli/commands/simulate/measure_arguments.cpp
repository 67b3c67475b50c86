#include <convene/cli/commands/simulate/measure_arguments.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/lab/simulation/property_program.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

result<void> place_properties(const std::vector<std::string>& files,
                              host::simulation& into) {
  for (const auto& file : files) {
    auto read = host::read_properties(file);
    if (!read)
      return fail(std::move(read).error());
    into.properties.insert(into.properties.end(), read->begin(), read->end());
    if (into.properties.size() > host::properties_max)
      return fail({.code = errc::limit_reached,
                   .message = "with this file there are over "
                              + std::to_string(host::properties_max)
                              + " properties",
                   .file = file,
                   .rule = "properties_max"});
  }
  return {};
}

} // namespace

void add_measures(const command_line& command, measure_arguments& arguments) {
  command.add("--property", arguments.properties);
  command.add("--measure", arguments.measures);
  command.add("--property-program", arguments.programs);
  command.add("--keep", arguments.keep, one_of({"failed", "all"}));
  add_fail_on(command, arguments.fail_on);
}

result<void> place_measures(const measure_arguments& arguments,
                            host::simulation& into) {
  if (arguments.keep == "all")
    into.keep = host::kept_seeds::all;
  if (!arguments.fail_on.empty())
    into.properties.push_back({.name = "--fail-on " + arguments.fail_on,
                               .what = host::property::kind::no_failures});
  if (auto placed = place_properties(arguments.properties, into); !placed)
    return placed;
  if (arguments.measures.size() > host::measures_max)
    return fail(errc::limit_reached,
                "--measure: at most " + std::to_string(host::measures_max)
                  + " at a time",
                "measures_max");
  for (const auto& text : arguments.measures) {
    auto parsed = host::parse_measure(text);
    if (!parsed)
      return fail(std::move(parsed).error());
    if (std::ranges::find(into.measures, parsed->name, &host::measure::name)
        != into.measures.end())
      return fail(errc::usage,
                  "--measure " + parsed->name + ": this name is given twice",
                  "measure_name");
    into.measures.push_back(*std::move(parsed));
  }
  for (const auto& path : arguments.programs) {
    auto found = host::find_property_program(path);
    if (!found)
      return fail(std::move(found).error());
    if (into.properties.size() >= host::properties_max)
      return fail(errc::limit_reached,
                  "there are over " + std::to_string(host::properties_max)
                    + " properties",
                  "properties_max");
    into.properties.push_back(*std::move(found));
  }
  if (!arguments.programs.empty())
    into.programs
      = std::make_shared<host::property_programs>([](std::string_view line) {
          const auto told = neutral(line) + '\n';
          std::fwrite(told.data(), 1, told.size(), stderr);
        });
  return {};
}

std::vector<std::string> property_words(const measure_arguments& arguments) {
  std::vector<std::string> words;
  if (!arguments.fail_on.empty())
    words.insert(words.end(), {"--fail-on", arguments.fail_on});
  for (const auto& file : arguments.properties)
    words.insert(words.end(), {"--property", file});
  for (const auto& path : arguments.programs)
    words.insert(words.end(), {"--property-program", path});
  return words;
}

std::vector<std::string> command_words(const measure_arguments& arguments) {
  auto words = property_words(arguments);
  for (const auto& text : arguments.measures)
    words.insert(words.end(), {"--measure", text});
  return words;
}

} // namespace convene::cli
