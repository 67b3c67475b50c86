#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/settings.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

namespace json = protocol::json;

using protocol::anything;
using protocol::errc;
using protocol::place;
using protocol::reading;
using made_behaviour = std::unique_ptr<behaviour>;

plan_options plan_of(const behaviour_setup& whose) {
  return {.retries = whose.retries, .rounds = whose.rounds};
}

made_behaviour make_echo(reading& r, const json::value& from, const place& at,
                         const behaviour_setup& whose) {
  no_settings none;
  read(r, from, at, anything, none);
  return std::make_unique<plan_behaviour>(plan_of(whose));
}

made_behaviour make_plan(reading& r, const json::value& from, const place& at,
                         const behaviour_setup& whose) {
  auto how = plan_of(whose);
  read(r, from, at, anything, how);
  return std::make_unique<plan_behaviour>(how);
}

made_behaviour make_script(reading& r, const json::value& from, const place& at,
                           const behaviour_setup& whose) {
  script lines{.plan = plan_of(whose)};
  read(r, from, at, anything, lines);
  return std::make_unique<script_behaviour>(std::move(lines));
}

bool is_too_long(const distribution& bytes) {
  return std::max(bytes.low, bytes.high)
         > static_cast<double>(simulated_bytes_max);
}

made_behaviour make_simulated(reading& r, const json::value& from,
                              const place& at, const behaviour_setup& whose) {
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
  return std::make_unique<simulated_behaviour>(std::move(how), whose.seed,
                                               whose.participant_id);
}

using maker = made_behaviour (*)(reading&, const json::value&, const place&,
                                 const behaviour_setup&);

constexpr std::array<std::string_view, 4> known_types{"echo", "plan", "script",
                                                      "simulated"};
constexpr std::array<maker, 4> makers{make_echo, make_plan, make_script,
                                      make_simulated};
constexpr std::array<std::string_view, 7> outside_types{
  "llm", "process", "http", "a2a", "mcp", "human", "external"};

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
     .message = "a behaviour of this type cannot be run here",
     .pointer = std::string{pointer} + "/type",
     .rule = type,
     .value = protocol::shorten(type)});
}

/// The maker of what `type` says, or null with the reason noted, or with the
/// name of a type that reaches outside.
maker find_maker(reading& r, const json::value& config, const place& at,
                 std::string& outside) {
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
    return makers[static_cast<std::size_t>(found - known_types.begin())];
  if (name == "function")
    r.refuse(at_type, "participant_unbound",
             "a function of the application answers here: bind one to this "
             "participant's id",
             protocol::shorten_value(*type), errc::activation_refused);
  else if (std::ranges::find(outside_types, name) != outside_types.end())
    outside = name;
  else
    r.refuse(at_type, "enum",
             "write one of echo, plan, script, simulated, llm, process, http, "
             "a2a, mcp, human, external"
               + suggestion(name),
             protocol::shorten_value(*type));
  return nullptr;
}

} // namespace

protocol::result<made_behaviour>
make_behaviour(const json::value& config, const behaviour_setup& whose,
               std::string_view pointer, behaviour_source* outside) {
  reading r;
  const place at{.name = pointer};
  made_behaviour made;
  std::string outside_type;
  if (const auto make = find_maker(r, config, at, outside_type))
    made = make(r, config, at, whose);
  else if (!outside_type.empty())
    return make_outside(outside_type, config, whose, pointer, outside);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return made;
}

behaviour_entry entry_for(const session::spec& what,
                          std::string_view participant_id) {
  if (const auto* own = what.behaviours.if_contains(participant_id))
    return {participant_id, own};
  return {"*", what.behaviours.if_contains("*")};
}

protocol::result<made_behaviour>
behaviour_for(const session::spec& what, const protocol::participant& who,
              std::uint64_t seed, behaviour_source* outside) {
  using protocol::participant_kind;
  const behaviour_setup whose{.session_id = what.collab.collab_id,
                              .participant_id = who.participant_id,
                              .seed = seed,
                              .rounds = what.options.rounds.value_or(1),
                              .retries = what.options.retries,
                              .mcp_servers = &what.mcp_servers};
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
  return make_behaviour(*config, whose, pointer, outside);
}

protocol::result<std::vector<made_behaviour>>
behaviours_for(const session::spec& what, std::uint64_t seed,
               behaviour_source* outside) {
  std::vector<made_behaviour> all;
  for (const auto& who : what.collab.participants) {
    auto made = behaviour_for(what, who, seed, outside);
    if (!made)
      return protocol::fail(std::move(made).error());
    all.push_back(*std::move(made));
  }
  return all;
}

} // namespace convene::actors
