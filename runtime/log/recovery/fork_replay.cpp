#include <convene/modes/catalog.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/recovery/fork_replay.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/session/replay/recorded_input.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using namespace protocol;
using session::effects;
using session::input;
using session::participant_index;

using made_machine = result<std::unique_ptr<session::machine>>;

made_machine activate(session::spec scenario, std::string_view policy_name,
                      const uuid& key) {
  const auto* policy = modes::find(policy_name);
  if (policy == nullptr)
    return fail(errc::unsupported,
                "no routing policy has the name " + quote(policy_name));
  return session::machine::activate(std::move(scenario), *policy, key);
}

/// The recorded session, before its first input. What its MAPSessionStarted
/// says has been replayed before.
made_machine activate(const json::object& started) {
  auto scenario = session::decode_spec(started.at("spec"));
  if (!scenario)
    return fail(std::move(scenario).error());
  const auto key = session::parse_session_key(text_of(started, "session_key"));
  if (!key)
    return fail(errc::invalid_document, "session_key is not 32 hex digits");
  return activate(*std::move(scenario), text_of(started, "policy"), *key);
}

/// The id of the last event of these lines.
std::string last_event_id(std::string_view lines) {
  constexpr std::string_view opening = R"({"event_id":")";
  lines.remove_suffix(lines.empty() ? 0 : 1);
  const auto last = lines.substr(lines.rfind('\n') + 1);
  return last.size() < opening.size()
           ? std::string{}
           : std::string{last.substr(opening.size(), 36)};
}

std::string_view word_of(session::request_kind kind) {
  constexpr std::string_view words[]{"turn", "broadcast", "decision", "vote",
                                     "escalation"};
  return words[static_cast<std::size_t>(kind)];
}

std::string listed(const session::machine& of, const effects& made) {
  std::string all;
  for (const auto& d : made.deliveries)
    all += (all.empty() ? "" : ", ")
           + of.spec().collab.participants[d.to].participant_id + " ("
           + std::string{word_of(d.what.kind)} + ')';
  return made.finished ? "it ends" : all.empty() ? "no one is asked" : all;
}

} // namespace

result<shared_part>
find_point(const json::object& started, const std::vector<input>& inputs,
           const std::string& event_id, std::optional<std::uint32_t> turn) {
  auto again = activate(started);
  if (!again)
    return fail(std::move(again).error());
  const auto opening = R"({"event_id":")" + event_id + '"';
  const auto refuse = [](std::string why) {
    return fail(errc::usage, std::move(why), "fork_point");
  };
  effects made;
  std::uint32_t highest = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    made.clear();
    (*again)->feed(inputs[i], made);
    for (const auto& d : made.deliveries)
      highest = std::max(highest, d.what.turn_number);
    const bool here
      = turn ? std::ranges::any_of(made.deliveries,
                                   [&](const auto& d) {
                                     return d.what.turn_number == *turn;
                                   })
             : made.events.view().find(opening) != std::string_view::npos;
    if (!here)
      continue;
    if (made.finished)
      return refuse("the session has ended there; name a place before");
    return shared_part{i + 1, last_event_id(made.events.view())};
  }
  return refuse(turn ? "the session has no turn " + std::to_string(*turn)
                         + "; its last one is " + std::to_string(highest)
                     : "the session has no event " + quote(event_id));
}

result<fork_replay> fork_replay::make(const json::object& started,
                                      session::spec scenario, const uuid& key) {
  fork_replay both;
  auto first = activate(started);
  if (!first)
    return fail(std::move(first).error());
  const auto policy = scenario.options.policy.value_or(
    std::string{to_word(scenario.collab.mode)});
  scenario.digests = started.contains("spec_sha256") || acts_outside(scenario);
  auto second = activate(std::move(scenario), policy, key);
  if (!second)
    return fail(std::move(second).error());
  both.first_ = *std::move(first);
  both.second_ = *std::move(second);
  return both;
}

result<void> fork_replay::feed(const input& in, std::int64_t shift) {
  effects first;
  effects second;
  auto other = translated(in);
  other.now += shift;
  first_->feed(in, first);
  second_->feed(std::move(other), second);
  const auto asks = [](const session::machine& whose, const auto& d) {
    return std::pair{whose.spec().collab.participants[d.to].participant_id,
                     d.what.kind};
  };
  const bool same = std::ranges::equal(first.deliveries, second.deliveries,
                                       [&](const auto& a, const auto& b) {
                                         return asks(*first_, a)
                                                == asks(*second_, b);
                                       });
  if (!same || first.finished.has_value() != second.finished.has_value())
    return fail(
      {.code = errc::usage,
       .message = "with these changes the session takes another course before "
                  "that point: recorded is that "
                  + listed(*first_, first) + ", now " + listed(*second_, second)
                  + "; fork before this event",
       .rule = "fork_departs",
       .value = last_event_id(first.events.view())});
  for (const auto& d : second.deliveries)
    asked_.push_back({d.to, d.what.token, d.what.kind, d.what.conflict});
  for (std::size_t i = 0; i < first.deliveries.size(); ++i)
    pair(first.deliveries[i].what, second.deliveries[i].what);
  events_ += second.events.view();
  return {};
}

void fork_replay::part(timestamp_ms now) {
  effects made;
  second_->feed({now, session::forked{}}, made);
  events_ += made.events.view();
}

result<void> fork_replay::answer(const std::string& participant_id, reply reply,
                                 timestamp_ms now) {
  const auto refuse = [](std::string why) {
    return fail(errc::usage, std::move(why), "fork_answer");
  };
  const auto who = find_participant(second_->spec(), participant_id);
  const auto open
    = std::find_if(asked_.rbegin(), asked_.rend(), [&](const auto& each) {
        return each.to == who && second_->awaits(who, each.token);
      });
  if (open == asked_.rend())
    return refuse(quote(participant_id) + " has no open request there");
  translate(reply);
  if (auto why = why_unfit(*open, reply); !why.empty())
    return refuse(std::move(why));
  const auto given = reply.status;
  session::normalise(reply);
  if (reply.status != given && reply.status == reply_status::failed)
    return refuse(reply.error.message);
  effects made;
  second_->feed({now, session::answer{who, open->token, std::move(reply)}},
                made);
  events_ += made.events.view();
  return {};
}

std::string fork_replay::why_unfit(const asked& open,
                                   const reply& given) const {
  using session::request_kind;
  const bool decides = open.kind == request_kind::decision;
  const bool votes = open.kind == request_kind::vote
                     || open.kind == request_kind::escalation;
  if (!given.decision.empty() && !decides)
    return "no decision is wanted there";
  if (given.vote && !votes)
    return "no vote is wanted there";
  if (given.status != reply_status::completed)
    return {};
  if (decides && given.decision.empty())
    return "a decision is wanted there: `decision`, a list";
  if (!votes)
    return {};
  if (!given.vote)
    return "a vote is wanted there: `vote`";
  if (given.vote->conflict_id != open.conflict->conflict_id)
    return "the vote there is about another conflict";
  const auto who = find_participant(second_->spec(), given.vote->in_favour_of);
  if (std::ranges::find(open.conflict->sides, who,
                        &session::conflict_side::participant)
      == open.conflict->sides.end())
    return "the vote there must be for one of those whose writes are in the "
           "dispute";
  return {};
}

void fork_replay::pair(const session::request& first,
                       const session::request& second) {
  const auto note = [this](const std::string& a, const std::string& b) {
    if (a != b && !a.empty())
      ids_.insert_or_assign(a, b);
  };
  note(to_string(first.token), to_string(second.token));
  note(first.step_id, second.step_id);
  note(first.conflict->conflict_id, second.conflict->conflict_id);
  const auto& a = first.decide->ready;
  const auto& b = second.decide->ready;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    note(a[i].step_id, b[i].step_id);
}

input fork_replay::translated(input in) const {
  std::visit(
    [this](auto& what) {
      if constexpr (requires { what.from; })
        what.from = translated(what.from);
      if constexpr (requires { what.who; })
        what.who = translated(what.who);
      if constexpr (requires { what.token; })
        what.token = translated(what.token);
      if constexpr (requires { what.reply; })
        translate(what.reply);
    },
    in.what);
  return in;
}

uuid fork_replay::translated(const uuid& token) const {
  const auto found = ids_.find(to_string(token));
  return found == ids_.end() ? token
                             : parse_uuid(found->second).value_or(token);
}

participant_index fork_replay::translated(participant_index who) const {
  const auto& all = first_->spec().collab.participants;
  return who < all.size()
           ? find_participant(second_->spec(), all[who].participant_id)
           : session::no_participant;
}

void fork_replay::translate(reply& what) const {
  byte_buffer text;
  {
    json_writer out{text};
    write_reply(out, what);
  }
  auto parsed = parse_json(text.view());
  if (!parsed)
    return;
  translate(*parsed);
  if (auto decoded = decode_reply(*parsed, ""))
    what = *std::move(decoded);
}

void fork_replay::translate(json::value& what) const {
  if (auto* text = what.if_string()) {
    const auto found = ids_.find(std::string_view{*text});
    if (found != ids_.end())
      *text = found->second;
  } else if (auto* array = what.if_array()) {
    for (auto& one : *array)
      translate(one);
  } else if (auto* object = what.if_object()) {
    for (auto& member : *object)
      translate(member.value());
  }
}

} // namespace convene::host
