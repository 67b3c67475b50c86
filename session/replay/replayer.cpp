#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/answer_line.hpp>
#include <convene/protocol/events/rules.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/replay/replayer.hpp>
#include <convene/session/snapshot/snapshot.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::object_of;
using protocol::result;
using protocol::text_of;

/// What one reply can put on the log before the event that closes its request:
/// at most three events for each of its writes, two for each claim, and one for
/// each action.
constexpr std::size_t held_max = 3 * protocol::reply_writes_max
                                 + 2 * protocol::reply_claims_max + actions_max;

/// A log made under other rules would only seem to be wrong.
result<void> check_rules(const protocol::json::object& started) {
  const auto* number = started.if_contains("rules");
  if (number == nullptr ? protocol::rules == 1
                        : *number == protocol::json::value(protocol::rules))
    return {};
  const auto since = number == nullptr ? protocol::rules_1_since
                                       : text_of(started, "rules_since");
  const auto found = number == nullptr ? std::string{"1"}
                                       : protocol::shorten_value(*number);
  return fail({.code = errc::unsupported,
               .message = "the session was written under rules " + found
                          + ", by convene "
                          + (since.empty() ? "of another version"
                                           : protocol::shorten(since))
                          + " or a later one with the same rules; this one has "
                            "rules "
                          + std::to_string(protocol::rules)
                          + ". Use that version here; check, events and export "
                            "read such a log",
               .pointer = "/payload/rules",
               .rule = "rules_unsupported",
               .value = found});
}

/// An event behind which no input can be found.
divergence unexplained(std::size_t line, std::string_view raw,
                       const protocol::error& why) {
  divergence found{line, {}, std::string{raw}, to_string(why), {}};
  if (why.rule == "rules_unsupported") {
    found.message = why.message;
    found.rule = why.rule;
  }
  return found;
}

} // namespace

replayer::replayer(policy_finder find) : find_(std::move(find)) {
  // nop
}

std::optional<divergence> replayer::feed(std::size_t line,
                                         std::string_view raw) {
  if (!is_compared())
    return compare(line, raw);
  if (auto answered = machine_ ? protocol::read_answer(raw) : std::nullopt) {
    const auto who = index_of(answered->participant_id);
    take(
      {answered->at, answer{who, answered->token, std::move(answered->what)}});
    return compare_held(line, raw);
  }
  const auto event = protocol::parse_json(raw);
  if (!event)
    return unexplained(line, raw, event.error());
  return feed(line, *event, raw);
}

std::optional<divergence> replayer::feed(std::size_t line,
                                         const protocol::json::value& event,
                                         std::string_view raw) {
  const auto* object = event.if_object();
  if (is_compared() && object != nullptr
      && (!held_.empty() || (machine_ && waits_for_reply(*object)))) {
    if (!carries_answer(*object))
      return hold(line, raw);
    if (auto explained = explain(event); !explained)
      return unexplained(line, raw, explained.error());
    return compare_held(line, raw);
  }
  if (is_compared())
    if (auto explained = explain(event); !explained)
      return unexplained(line, raw, explained.error());
  return compare(line, raw);
}

std::optional<divergence> replayer::compare_held(std::size_t line,
                                                 std::string_view raw) {
  for (const auto& earlier : std::exchange(held_, {}))
    if (auto found = compare(earlier.line, earlier.raw))
      return found;
  return compare(line, raw);
}

std::optional<divergence> replayer::compare(std::size_t line,
                                            std::string_view raw) {
  const auto left = produced_.events.view().substr(compared_);
  if (left.size() > raw.size() && left[raw.size()] == '\n'
      && left.starts_with(raw)) {
    compared_ += raw.size() + 1;
    return std::nullopt;
  }
  return divergence{line, std::string{next_line()}, std::string{raw},
                    is_compared()
                      ? "nothing in the log explains this event"
                      : "the session machine makes another event here"};
}

std::optional<divergence> replayer::hold(std::size_t line,
                                         std::string_view raw) {
  if (held_.size() >= held_max)
    return divergence{held_.front().line,
                      {},
                      held_.front().raw,
                      "no reply in the log explains this event"};
  held_.push_back({line, std::string{raw}});
  return std::nullopt;
}

std::optional<divergence> replayer::finish() const {
  if (!held_.empty())
    return divergence{held_.front().line,
                      {},
                      held_.front().raw,
                      "no reply in the log explains this event"};
  if (is_compared())
    return std::nullopt;
  return divergence{.expected = std::string{next_line()},
                    .message = "the log ends before the events of its last "
                               "input do"};
}

result<void> replayer::open(const protocol::json::object& event) {
  if (text_of(event, "event_type") != "MAPSessionStarted")
    return fail(errc::invalid_document,
                "a session's log begins with MAPSessionStarted");
  const auto& payload = object_of(event, "payload");
  if (auto same = check_rules(payload); !same)
    return same;
  const auto key = parse_session_key(text_of(payload, "session_key"));
  if (!key)
    return fail(errc::invalid_document, "session_key is not 32 hex digits");
  const auto name = text_of(payload, "policy");
  const auto* policy = find_(name);
  if (policy == nullptr)
    return fail(errc::unsupported,
                "no routing policy has the name " + protocol::quote(name));
  const auto* spec = payload.if_contains("spec");
  if (spec == nullptr)
    return fail(errc::invalid_document, "MAPSessionStarted has no spec");
  auto decoded = decode_spec(*spec);
  if (!decoded)
    return fail(std::move(decoded).error());
  behaviours_ = decoded->behaviours;
  decoded->digests = payload.contains("spec_sha256");
  auto made = machine::activate(*std::move(decoded), *policy, *key);
  if (!made)
    return fail(std::move(made).error());
  machine_ = *std::move(made);
  participant_index i = 0;
  for (const auto& p : machine_->spec().collab.participants)
    participants_.emplace(p.participant_id, i++);
  last_asked_.resize(i);
  return {};
}

result<void> replayer::explain(const protocol::json::value& event) {
  const auto* object = event.if_object();
  if (object == nullptr)
    return fail(errc::invalid_document, "an event is an object");
  if (!machine_)
    if (auto opened = open(*object); !opened)
      return opened;
  auto cause = recorded_input(*object, [this](std::string_view id) {
    return index_of(id);
  });
  if (!cause)
    return fail(std::move(cause).error());
  take(*std::move(cause));
  return {};
}

participant_index replayer::index_of(std::string_view participant_id) const {
  const auto found = participants_.find(participant_id);
  return found == participants_.end() ? no_participant : found->second;
}

void replayer::take(input&& cause) {
  if (show_)
    show_(cause);
  produced_.clear();
  compared_ = 0;
  machine_->feed(std::move(cause), produced_);
  for (auto& d : produced_.deliveries)
    note(std::move(d));
}

/// Of a participant's requests, only the last can be open; of its questions,
/// any.
void replayer::note(delivery&& what) {
  const bool question = what.what.kind == request_kind::vote
                        || what.what.kind == request_kind::escalation;
  numbered_delivery kept{delivered_++, std::move(what)};
  if (!question) {
    last_asked_[kept.what.to] = std::move(kept);
    return;
  }
  questions_.push_back(std::move(kept));
  if (questions_.size() <= questions_kept_)
    return;
  std::erase_if(questions_, [this](const auto& q) {
    return !machine_->awaits(q.what.to, q.what.what.token);
  });
  questions_kept_ = std::max(questions_kept_, 2 * questions_.size());
}

std::vector<delivery> replayer::outstanding() const {
  std::vector<const numbered_delivery*> all;
  for (const auto* kept : {&last_asked_, &questions_})
    for (const auto& one : *kept)
      if (machine_ && machine_->awaits(one.what.to, one.what.what.token))
        all.push_back(&one);
  std::ranges::sort(all, {}, &numbered_delivery::number);
  std::vector<delivery> made;
  for (const auto* one : all)
    made.push_back(one->what);
  return made;
}

standing_session replayer::release() {
  standing_session left{.outstanding = outstanding(),
                        .behaviours = std::move(behaviours_)};
  for (auto& [to, what] : left.outstanding)
    what.actions = machine_->actions_of(to, what.token);
  left.machine = std::move(machine_);
  last_asked_.clear();
  questions_.clear();
  return left;
}

result<void> replayer::restore(std::string_view started,
                               const protocol::json::value& from) {
  const auto event = protocol::parse_json(started);
  if (!event)
    return fail(event.error());
  if (!event->is_object())
    return fail(errc::invalid_document, "an event is an object");
  if (auto opened = open(event->get_object()); !opened)
    return opened;
  auto left = session::restore(std::move(machine_), from);
  if (!left)
    return fail(std::move(left).error());
  machine_ = std::move(left->machine);
  for (auto& asked : left->outstanding)
    note(std::move(asked));
  return {};
}

result<protocol::json::object> replayer::save() const {
  if (!machine_ || finish())
    return fail(errc::not_allowed, "events of the last input are missing");
  return session::save(*machine_, outstanding());
}

std::string_view replayer::next_line() const {
  const auto rest = produced_.events.view().substr(compared_);
  return rest.substr(0, rest.find('\n'));
}

} // namespace convene::session
