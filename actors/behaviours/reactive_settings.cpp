// From the JSON form of a reactive participant to rules that can be applied.

#include <convene/actors/behaviours/named_texts.hpp>
#include <convene/actors/behaviours/reactive_settings.hpp>
#include <convene/actors/behaviours/read_members.hpp>
#include <convene/actors/behaviours/settings.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace convene::actors {
namespace {

using namespace convene::protocol;

constexpr std::string_view own_name = "participant_id";

using named_values = std::map<std::string, std::string>;

/// What names stand for, by participant id; `*`: for the rest.
using values_by_id = std::map<std::string, named_values>;

/// The settings, with rules whose names have been replaced.
struct written_reaction {
  distribution latency;
  values_by_id values;
  std::vector<reactive_rule> rules;
};

/// The writes of a reply without a base_version, which then get one for the
/// reply to be read.
std::vector<std::size_t> give_versions(json::object& reply) {
  std::vector<std::size_t> found;
  auto* member = reply.if_contains("writes");
  auto* writes = member == nullptr ? nullptr : member->if_array();
  if (writes == nullptr)
    return found;
  for (std::size_t i = 0; i < writes->size(); ++i) {
    auto* write = (*writes)[i].if_object();
    if (write == nullptr || write->contains("base_version"))
      continue;
    write->emplace("base_version", 0);
    found.push_back(i);
  }
  return found;
}

bool read_reply(reading& r, const json::value& from, const place& at,
                reactive_reply& to) {
  json::object source;
  if (!read_object(r, from, at, source))
    return false;
  to.unversioned = give_versions(source);
  auto decoded = decode_reply(json::value(source), to_pointer(at));
  if (!decoded) {
    r.fault = std::move(decoded).error();
    return false;
  }
  to.reply = *std::move(decoded);
  if (has_names(json::value(source)))
    to.source = std::move(source);
  return true;
}

} // namespace

/// One of several: a reply with its weight.
bool read(reading& r, const json::value& from, const place& at,
          const constraint& /*rule*/, reactive_reply& to) {
  written_value reply;
  return read_members(r, from, at,
                      [&](auto& v) {
                        v.defaulted("weight", to.weight,
                                    constraint{.minimum = 0,
                                               .maximum = 1'000'000'000,
                                               .above_minimum = true});
                        v.member("reply", reply);
                      })
         && read_reply(r, *reply.given, place{&at, "reply", {}}, to);
}

bool read(reading& r, const json::value& from, const place& at,
          const constraint& /*rule*/, reactive_rule& to) {
  written_value then;
  if (!read_members(r, from, at, [&](auto& v) {
        v.defaulted("when", to.when);
        v.member("then", then);
      }))
    return false;
  const place here{&at, "then", {}};
  if (!then.given->is_array())
    return read_reply(r, *then.given, here, to.then.emplace_back());
  if (then.given->get_array().empty())
    return r.refuse(here, "minItems", "write at least one reply here");
  return protocol::read(r, *then.given, here, at_most(reactive_choices_max),
                        to.then);
}

namespace {

void describe(auto& v, of<written_reaction> auto& x) {
  v.ignored("type");
  v.defaulted("latency_ms", x.latency);
  v.defaulted("values", x.values);
  v.member("rules", x.rules, at_most(reactive_rules_max));
}

const named_values* values_for(const values_by_id& all, const std::string& id) {
  for (const auto& key : {id, std::string{"*"}})
    if (const auto found = all.find(key); found != all.end())
      return &found->second;
  return nullptr;
}

/// Whether a name stands for what depends on the participant.
bool is_own_name(std::string_view name, const values_by_id& all) {
  return name == own_name || std::ranges::any_of(all, [&](const auto& values) {
           return values.second.contains(std::string{name});
         });
}

bool is_request_name(std::string_view name) {
  return std::ranges::find(request_names, name) != std::end(request_names);
}

bool check_names(reading& r, const json::value& in, const place& at,
                 bool of_request) {
  const auto found = find_unknown_name(in, [&](std::string_view name) {
    return of_request && is_request_name(name);
  });
  if (!found)
    return true;
  const auto pointer = to_pointer(at) + found->pointer;
  return r.refuse(place{.name = pointer}, "unknown_name",
                  is_request_name(found->name)
                    ? "this name is only known in a reply"
                    : "nothing has this name: give it a value in `values`, or "
                      "write one of participant_id and, in a reply, "
                      "task, message, role_id, turn, round, request, step_id, "
                      "conflict_id and handed_by"
                        + suggest(found->name, request_names),
                  shorten(found->name));
}

/// Conditions know a participant's own values, replies the request's as well.
bool check_rule_names(reading& r, const json::value& rules, const place& at) {
  const auto* all = rules.if_array();
  for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
    const auto* rule = (*all)[i].if_object();
    const place here{&at, {}, i};
    for (const auto* member : {"when", "then"})
      if (const auto* found = rule == nullptr ? nullptr
                                              : rule->if_contains(member);
          found != nullptr
          && !check_names(r, *found, place{&here, member, {}},
                          std::string_view{member} == "then"))
        return false;
  }
  return true;
}

} // namespace

bool read_reaction(reading& r, const json::value& from, const place& at,
                   const behaviour_setup& whose, reaction& to, bool& is_own) {
  json::object settings;
  if (!read_object(r, from, at, settings))
    return false;
  values_by_id values;
  if (const auto* given = settings.if_contains("values"))
    if (!read(r, *given, place{&at, "values", {}}, anything, values))
      return false;
  const auto* own = values_for(values, whose.participant_id);
  if (auto* rules = settings.if_contains("rules")) {
    const place here{&at, "rules", {}};
    if (!replace_names(
          *rules, [&](std::string_view name) -> std::optional<std::string> {
            is_own = is_own || is_own_name(name, values);
            if (name == own_name)
              return whose.participant_id;
            if (own == nullptr)
              return std::nullopt;
            const auto found = own->find(std::string{name});
            return found == own->end() ? std::nullopt
                                       : std::optional{found->second};
          }))
      return r.refuse(here, "named_bytes_max",
                      "the names in these rules stand for more than "
                        + std::to_string(named_bytes_max) + " bytes",
                      {}, errc::limit_reached);
    if (!check_rule_names(r, *rules, here))
      return false;
  }
  written_reaction made;
  if (!read(r, json::value(std::move(settings)), at, anything, made))
    return false;
  to.latency = made.latency;
  to.rules = std::move(made.rules);
  return true;
}

} // namespace convene::actors
