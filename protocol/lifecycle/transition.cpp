#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/record.hpp>

namespace convene::protocol {
namespace {

std::string list_of(const std::vector<std::string_view>& words) {
  std::string all;
  for (const auto word : words)
    all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

/// `plan "4f...": `, and of a part also what it is part of.
std::string subject(const lifecycle& of, const status_change& change) {
  auto text = std::string{of.name};
  if (!change.id.empty())
    text += ' ' + quote(change.id);
  if (of.name != to_word(of.owner))
    text.append(" of ")
      .append(to_word(of.owner))
      .append(change.owner_id.empty() ? "" : " " + quote(change.owner_id));
  return text + ": ";
}

/// `from "draft" to "active"`, or `to "active"` if it is created.
std::string ways(const status_change& change) {
  auto text = change.from.empty() ? "creating it as "
                                  : "from " + quote(change.from) + " to ";
  return text + quote(change.to);
}

tl::unexpected<error> refuse(const lifecycle& of, const status_change& change,
                             std::string rule, std::string why,
                             errc code = errc::not_allowed) {
  return fail({.code = code,
               .message = subject(of, change) + std::move(why),
               .pointer = "/status",
               .rule = std::move(rule),
               .value = shorten(change.to)});
}

std::string allowed(const lifecycle& of, std::string_view from,
                    const lifecycle_policy& policy) {
  const auto next = next_statuses(of, from, policy);
  return next.empty() ? "allowed: none" : "allowed: " + list_of(next);
}

tl::unexpected<error>
refuse_unknown(const lifecycle& of, const status_change& change,
               std::string_view word, const lifecycle_policy& policy) {
  std::vector<std::string_view> known;
  for (const auto& state : of.states)
    if (applies(state.reading, policy))
      known.push_back(state.word);
  return refuse(of, change, "status_known",
                "there is no status " + quote(word) + suggest(word, known)
                  + ", " + ways(change) + "; use one of " + list_of(known),
                errc::invalid_document);
}

/// Why no row of the table leads there, and what does.
tl::unexpected<error> refuse_move(const lifecycle& of,
                                  const status_change& change,
                                  const lifecycle_policy& policy) {
  const auto options = allowed(of, change.from, policy);
  if (next_statuses(of, change.from, policy).empty())
    return refuse(of, change, "status_final",
                  "no way " + ways(change) + ", for " + quote(change.from)
                    + " is final; " + options + "; make a new "
                    + std::string{of.name});
  if (change.from == change.to)
    return refuse(of, change, "status_changes",
                  ways(change) + " is not a change; " + options);
  const auto route = find_route(of, change.from, change.to, policy);
  return refuse(of, change, "status_move",
                "no way " + ways(change) + "; " + options
                  + (route.empty() ? "; make a new " + std::string{of.name}
                                   : "; go by " + list_of(route)));
}

result<void> check_needs(const lifecycle& of, const lifecycle_move& move,
                         const status_change& change,
                         const lifecycle_policy& policy) {
  for (std::size_t i = 0; i < words_of<precondition>.size(); ++i) {
    const auto one = static_cast<precondition>(i);
    if (!move.needs.has(one) || change.holds.has(one))
      continue;
    return refuse(of, change, std::string{to_word(one)},
                  ways(change) + " needs that " + std::string{meaning_of(one)}
                    + "; " + std::string{advice_for(one)} + "; "
                    + allowed(of, change.from, policy));
  }
  return {};
}

/// The word of the table for what may be an alias.
std::string_view plain_word(const lifecycle& of, std::string_view word,
                            const lifecycle_policy& policy) {
  const auto* state = find_state(of, word, policy);
  return state == nullptr ? word : state->word;
}

result<void> follow(const lifecycle& of, const lifecycle_move& move,
                    status_change change, const lifecycle_policy& policy,
                    lifecycle_events& out) {
  change.from = move.from;
  change.to = move.to;
  if (auto ok = check_needs(of, move, change, policy); !ok)
    return ok;
  record_move(of, move, change, out);
  return {};
}

} // namespace

result<lifecycle_events> transition(const lifecycle& of,
                                    const status_change& asked,
                                    const lifecycle_policy& policy) {
  auto change = asked;
  change.from = plain_word(of, asked.from, policy);
  change.to = plain_word(of, asked.to, policy);
  const bool creates = change.from.empty();
  lifecycle_events events;
  if (of.states.empty()) {
    if (!creates || !change.to.empty())
      return refuse(of, change, "status_known",
                    "a " + std::string{of.name}
                      + " has no status; leave it out",
                    errc::invalid_document);
    record_graph(of, {of.created, "node_add", change.node_delta}, change,
                 events);
    return events;
  }
  if (!creates && find_state(of, change.from, policy) == nullptr)
    return refuse_unknown(of, change, change.from, policy);
  if (find_state(of, change.to, policy) == nullptr)
    return refuse_unknown(of, change, change.to, policy);
  if (change.locked)
    return refuse(of, change, "locked",
                  ways(change) + " is refused, governance.locked freezes it; "
                    + allowed(of, change.from, policy)
                    + " once a Confirm about it is approved and named in "
                      "governance.lastConfirmRef");
  const auto* move = find_move(of, change.from, change.to, policy);
  if (move == nullptr)
    return refuse_move(of, change, policy);
  if (move->by_initial) {
    const auto* first = find_move(of, "", of.initial, policy);
    if (auto ok = follow(of, *first, change, policy, events); !ok)
      return fail(ok.error());
    move = find_move(of, of.initial, change.to, policy);
  }
  if (auto ok = follow(of, *move, change, policy, events); !ok)
    return fail(ok.error());
  return events;
}

} // namespace convene::protocol
