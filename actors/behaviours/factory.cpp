#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/node_place.hpp>
#include <convene/actors/behaviours/reactive_settings.hpp>
#include <convene/actors/behaviours/settings.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace convene::actors {
namespace {

namespace json = protocol::json;

using protocol::anything;
using protocol::errc;
using protocol::place;
using protocol::reading;
using protocol::shared_value;
using made_behaviour = std::unique_ptr<behaviour>;

plan_options plan_of(const behaviour_setup& whose) {
  return {.retries = whose.retries, .rounds = whose.rounds};
}

/// What settings say, for whoever behaves by them.
struct recipe {
  std::function<made_behaviour(const behaviour_setup& whose)> make;
  bool is_own = false; ///< others have to read the settings themselves
};

recipe read_echo(reading& r, const json::value& from, const place& at,
                 const behaviour_setup& whose) {
  no_settings none;
  read(r, from, at, anything, none);
  return {[how = plan_of(whose)](const behaviour_setup&) {
    return std::make_unique<plan_behaviour>(how);
  }};
}

recipe read_plan(reading& r, const json::value& from, const place& at,
                 const behaviour_setup& whose) {
  auto how = plan_of(whose);
  read(r, from, at, anything, how);
  return {[how](const behaviour_setup&) {
    return std::make_unique<plan_behaviour>(how);
  }};
}

/// A script decides in its replies or beside them, so that none is passed over.
void check_decisions(reading& r, const place& at, const script& lines) {
  const auto check = [&r](const place& reply, const protocol::reply& line) {
    if (!line.decision.empty())
      r.refuse({&reply, "decision", {}}, "one_list_of_decisions",
               "the script has decisions beside its turns: add this to them, "
               "or leave them out");
  };
  const place turns{&at, "turns", {}};
  for (std::size_t n = 0; n < lines.turns.size(); ++n)
    check({&turns, {}, n}, lines.turns[n]);
  if (lines.after)
    check({&at, "after", {}}, *lines.after);
}

recipe read_script(reading& r, const json::value& from, const place& at,
                   const behaviour_setup& whose) {
  script lines{.plan = plan_of(whose)};
  if (read(r, from, at, anything, lines) && lines.decisions)
    check_decisions(r, at, lines);
  return {
    [all = shared_value<script>{std::move(lines)}](const behaviour_setup&) {
      return std::make_unique<script_behaviour>(all);
    }};
}

bool is_too_long(const distribution& bytes) {
  return std::max(bytes.low, bytes.high)
         > static_cast<double>(simulated_bytes_max);
}

recipe read_simulated(reading& r, const json::value& from, const place& at,
                      const behaviour_setup& whose) {
  simulation how{.plan = plan_of(whose)};
  if (read(r, from, at, anything, how)) {
    const auto& work = how.work;
    if (how.silence + how.failure + how.decline > 1)
      r.refuse(at, "maximum",
               "silence, failure and decline together must be at most 1");
    else if (how.content && work.content_bytes)
      r.refuse(at, "one_content",
               "content says what it says, content_bytes how much: leave one "
               "out");
    else if (is_too_long(work.writes.value_bytes)
             || (work.content_bytes && is_too_long(*work.content_bytes)))
      r.refuse(at, "simulated_bytes_max",
               "texts and values of simulated participants have at most "
                 + std::to_string(simulated_bytes_max) + " bytes");
  }
  return {[all = shared_value<simulation>{std::move(how)}](
            const behaviour_setup& one) {
    return std::make_unique<simulated_behaviour>(all, one.seed,
                                                 one.participant_id,
                                                 one.by_task);
  }};
}

recipe read_reactive(reading& r, const json::value& from, const place& at,
                     const behaviour_setup& whose) {
  reaction how{.plan = plan_of(whose)};
  bool is_own = false;
  read_reaction(r, from, at, whose, how, is_own);
  return {.make =
            [all = shared_value<reaction>{std::move(how)}](
              const behaviour_setup& one) {
              return std::make_unique<reactive_behaviour>(all, one.seed,
                                                          one.participant_id,
                                                          one.by_task);
            },
          .is_own = is_own};
}

using recipe_reader = recipe (*)(reading&, const json::value&, const place&,
                                 const behaviour_setup&);

constexpr std::array<std::string_view, 5> known_types{"echo", "plan", "script",
                                                      "simulated", "reactive"};
constexpr std::array<recipe_reader, 5> readers{read_echo, read_plan,
                                               read_script, read_simulated,
                                               read_reactive};
constexpr std::array<std::string_view, 9> outside_types{
  "recorded", "llm",   "process",  "http",       "a2a",
  "mcp",      "human", "external", "application"};

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> all{known_types.begin(), known_types.end()};
  all.insert(all.end(), outside_types.begin(), outside_types.end());
  return protocol::suggest(name, all);
}

/// Made by `source`, which may be null.
protocol::result<made_behaviour>
make_outside(const std::string& type, const json::value& config,
             const behaviour_setup& whose, std::string_view pointer,
             behaviour_source* source) {
  if (source != nullptr)
    if (auto made = source->make(type, config, whose, pointer); !made || *made)
      return made;
  return protocol::fail(
    {.code = errc::unsupported,
     .message = type == "application"
                  ? "a program that embeds convene has this behavior: run the "
                    "scenario there, or bind another behavior"
                  : "a behaviour of this type cannot be run here",
     .pointer = std::string{pointer} + "/type",
     .rule = type,
     .value = protocol::shorten(type)});
}

/// A participant that runs on another node, by `source`, which may be null.
protocol::result<made_behaviour>
make_on_node(const json::value& config, const behaviour_setup& whose,
             std::string_view pointer, behaviour_source* source) {
  if (auto place = read_node_place(config, pointer); !place)
    return protocol::fail(std::move(place).error());
  // Settings of other types are read where it runs.
  auto tried = make_behaviour(without_node(config), whose, pointer);
  if (!tried && tried.error().code != errc::unsupported)
    return tried;
  if (source != nullptr)
    if (auto made = source->make(node_member, config, whose, pointer);
        !made || *made)
      return made;
  return protocol::fail(
    {.code = errc::unsupported,
     .message = "participants run on other nodes only in a cluster: serve the "
                "scenario with convene serve --cluster, or leave out \"node\"",
     .pointer = std::string{pointer} + "/node",
     .rule = std::string{node_member}});
}

/// Who reads what `type` says, or null with the reason noted, or with the name
/// of a type that reaches outside.
recipe_reader find_reader(reading& r, const json::value& config,
                          const place& at, std::string& outside) {
  json::object object;
  if (!read_object(r, config, at, object))
    return nullptr;
  const auto* type = object.if_contains("type");
  if (type == nullptr) {
    r.refuse(at, "required", "the member \"type\" is missing: add it");
    return nullptr;
  }
  const place at_type{&at, "type", {}};
  std::string name;
  if (!read_text(r, *type, at_type, anything, name))
    return nullptr;
  const auto found = std::ranges::find(known_types, name);
  if (found != known_types.end())
    return readers[static_cast<std::size_t>(found - known_types.begin())];
  if (name == "function")
    r.refuse(at_type, "participant_unbound",
             "a function of the application answers here: bind one to this "
             "participant's id",
             protocol::shorten_value(*type), errc::activation_refused);
  else if (std::ranges::find(outside_types, name) != outside_types.end())
    outside = name;
  else
    r.refuse(at_type, "enum",
             "write one of echo, plan, script, simulated, reactive, recorded, "
             "llm, process, http, a2a, mcp, human, external, application"
               + suggestion(name),
             protocol::shorten_value(*type));
  return nullptr;
}

/// As `make_behaviour`. The recipe is kept in `known`, for others with the same
/// settings, if it is for them, too.
protocol::result<made_behaviour>
make_known(const json::value& config, const behaviour_setup& whose,
           std::string_view pointer, behaviour_source* outside, recipe& known) {
  if (known.make)
    return known.make(whose);
  if (names_node(config))
    return make_on_node(config, whose, pointer, outside);
  reading r;
  const place at{.name = pointer};
  std::string outside_type;
  const auto read_from = find_reader(r, config, at, outside_type);
  if (read_from == nullptr && !outside_type.empty())
    return make_outside(outside_type, config, whose, pointer, outside);
  recipe found;
  if (read_from != nullptr)
    found = read_from(r, config, at, whose);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  auto made = found.make(whose);
  if (!found.is_own)
    known = std::move(found);
  return made;
}

/// As `behaviour_for`; `known` is the recipe under "*".
protocol::result<made_behaviour>
make_for(const session::spec& what, const protocol::participant& who,
         std::uint64_t seed, behaviour_source* outside,
         std::shared_ptr<task_places> by_task, recipe& known) {
  using protocol::participant_kind;
  const behaviour_setup whose{.session_id = what.collab.collab_id,
                              .participant_id = who.participant_id,
                              .seed = seed,
                              .rounds = what.options.rounds.value_or(1),
                              .retries = what.options.retries,
                              .mcp_servers = &what.mcp_servers,
                              .by_task = std::move(by_task)};
  const auto [key, config] = entry_for(what, who.participant_id);
  if (key == "*") {
    if (who.kind == participant_kind::human
        || who.kind == participant_kind::external)
      return protocol::fail(
        {.code = errc::activation_refused,
         .message = "participants of kind "
                    + std::string{protocol::to_word(who.kind)}
                    + " need a behaviour under their own id",
         .pointer = "/behaviours",
         .rule = "participant_unbound",
         .value = protocol::shorten(who.participant_id)});
  }
  if (config == nullptr)
    return std::make_unique<plan_behaviour>(plan_of(whose));
  std::string pointer = "/behaviours";
  protocol::append_to_pointer(pointer, key);
  if (key == "*")
    return make_known(*config, whose, pointer, outside, known);
  return make_behaviour(*config, whose, pointer, outside);
}

} // namespace

protocol::result<made_behaviour>
make_behaviour(const json::value& config, const behaviour_setup& whose,
               std::string_view pointer, behaviour_source* outside) {
  recipe used_once;
  return make_known(config, whose, pointer, outside, used_once);
}

behaviour_entry entry_for(const session::spec& what,
                          std::string_view participant_id) {
  if (const auto* own = what.behaviours.if_contains(participant_id))
    return {participant_id, own};
  return {"*", what.behaviours.if_contains("*")};
}

protocol::result<made_behaviour>
behaviour_for(const session::spec& what, const protocol::participant& who,
              std::uint64_t seed, behaviour_source* outside,
              std::shared_ptr<task_places> by_task) {
  recipe used_once;
  return make_for(what, who, seed, outside, std::move(by_task), used_once);
}

protocol::result<std::vector<made_behaviour>>
behaviours_for(const session::spec& what, std::uint64_t seed,
               behaviour_source* outside,
               const std::shared_ptr<task_places>& by_task) {
  std::vector<made_behaviour> all;
  all.reserve(what.collab.participants.size());
  recipe known;
  for (const auto& who : what.collab.participants) {
    auto made = make_for(what, who, seed, outside, by_task, known);
    if (!made)
      return protocol::fail(std::move(made).error());
    all.push_back(*std::move(made));
  }
  return all;
}

} // namespace convene::actors
