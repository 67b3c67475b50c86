#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/lifecycle/text.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

#include <string>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// Stands for FROM where an object is created.
constexpr std::string_view nothing = "new";

struct lifecycle_arguments {
  std::string name;
  std::string from;
  std::string to;
  lifecycle_policy policy;
};

json::array as_json(const std::vector<std::string_view>& words) {
  json::array all;
  for (const auto word : words)
    all.push_back(json::value(word));
  return all;
}

result<const lifecycle*> named(const std::string& name) {
  if (const auto* found = find_lifecycle(name))
    return found;
  std::vector<std::string_view> known;
  for (const auto* of : all_lifecycles())
    known.push_back(of->name);
  return fail(errc::usage,
              "there is no lifecycle \"" + name + '"' + suggest(name, known)
                + "; see convene lifecycle list",
              "unknown_lifecycle");
}

result<int> list_lifecycles(const lifecycle_arguments&,
                            const common_options& common) {
  json::array all;
  for (const auto* of : all_lifecycles()) {
    std::vector<std::string_view> states;
    for (const auto& state : of->states)
      states.push_back(state.word);
    if (common.json) {
      all.push_back({{"name", of->name},
                     {"module", to_word(of->owner)},
                     {"states", as_json(states)}});
      continue;
    }
    auto line = column(of->name, 12);
    for (const auto word : states)
      line.append(" ").append(word);
    print(line + (states.empty() ? " has no status\n" : "\n"));
  }
  if (common.json)
    print_json(json::object{{"lifecycles", std::move(all)}});
  return exit_good;
}

result<int> show_lifecycle(const lifecycle_arguments& asked,
                           const common_options& common) {
  if (asked.name.empty()) {
    json::array all;
    for (const auto* of : all_lifecycles())
      if (common.json)
        all.push_back(lifecycle_json(*of));
      else
        print('\n' + lifecycle_text(*of));
    if (common.json)
      print_json(json::object{{"lifecycles", std::move(all)}});
    return exit_good;
  }
  const auto found = named(asked.name);
  if (!found)
    return fail(found.error());
  if (common.json)
    print_json(lifecycle_json(**found));
  else
    print(lifecycle_text(**found));
  return exit_good;
}

/// Empty: the object is created.
std::string_view status_before(const lifecycle_arguments& asked) {
  if (asked.from == nothing)
    return {};
  return asked.from;
}

int refuse(const lifecycle& of, const lifecycle_arguments& asked,
           const error& why, const common_options& common) {
  const auto from = status_before(asked);
  if (!common.json) {
    print_line(why.message);
    return exit_no;
  }
  print_json(json::object{
    {"lifecycle", of.name},
    {"from", asked.from},
    {"to", asked.to},
    {"allowed", false},
    {"rule", why.rule},
    {"message", why.message},
    {"next", as_json(next_statuses(of, from, asked.policy))},
    {"route", as_json(find_route(of, from, asked.to, asked.policy))}});
  return exit_no;
}

result<int> check(const lifecycle_arguments& asked,
                  const common_options& common) {
  const auto found = named(asked.name);
  if (!found)
    return fail(found.error());
  const auto& of = **found;
  const status_change change{.from = status_before(asked),
                             .to = asked.to,
                             .holds = precondition_set::all()};
  const auto made = transition(of, change, asked.policy);
  if (!made && made.error().code == errc::not_allowed)
    return refuse(of, asked, made.error(), common);
  if (!made)
    return fail(made.error());
  const auto* move = find_move(of, change.from, change.to, asked.policy);
  const auto needs = move == nullptr ? std::vector<precondition>{}
                                     : members_of(move->needs);
  if (common.json) {
    json::array clauses;
    for (const auto one : needs)
      clauses.push_back({{"name", to_word(one)}, {"meaning", meaning_of(one)}});
    json::array events;
    for (const auto& event : *made)
      events.push_back(
        {{"event_type", event.type}, {"event_family", event.family}});
    print_json(json::object{{"lifecycle", of.name},
                            {"from", asked.from},
                            {"to", asked.to},
                            {"allowed", true},
                            {"needs", std::move(clauses)},
                            {"events", std::move(events)}});
    return exit_good;
  }
  std::string text = asked.name + ' ' + asked.from + " to " + asked.to
                     + ": allowed";
  std::string_view joint = " if ";
  for (const auto one : needs) {
    text.append(joint).append(meaning_of(one));
    joint = ", and if ";
  }
  text += "\nevents:";
  for (const auto& event : *made)
    text.append(" ").append(event.type);
  print(text + '\n');
  return exit_good;
}

} // namespace

void add_lifecycle(const command_line& program) {
  const auto command = program.add_group("lifecycle");
  command.add_common();
  command.require_command();
  command.add<lifecycle_arguments>(
    "list", list_lifecycles, [](const command_line&, lifecycle_arguments&) {});
  command.add<lifecycle_arguments>("show", show_lifecycle,
                                   [](const command_line& shows,
                                      lifecycle_arguments& arguments) {
                                     shows.add("NAME", arguments.name);
                                   });
  command.add<lifecycle_arguments>(
    "check", check,
    [](const command_line& checks, lifecycle_arguments& arguments) {
      auto& policy = arguments.policy;
      checks.add("NAME", arguments.name).required();
      checks.add("FROM", arguments.from).required();
      checks.add("TO", arguments.to).required();
      checks.add("--extensions-return", policy.extensions_return);
      checks.add("--several-rounds", policy.several_rounds);
      checks.add("--native-words", policy.native_words);
    });
}

} // namespace convene::cli
