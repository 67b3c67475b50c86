#include <convene/modes/catalog.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/forks/fork.hpp>
#include <convene/runtime/data/scenario/known_policy.hpp>
#include <convene/runtime/data/scenario/overrides.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/fork_replay.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/session/replay/replayer.hpp>

#include <set>
#include <utility>

namespace convene::host {
namespace {

using namespace protocol;
using session::input;

auto refuse(std::string rule, std::string message, std::string file = {},
            std::size_t line = 0) {
  return fail({.code = errc::usage,
               .message = std::move(message),
               .file = std::move(file),
               .rule = std::move(rule),
               .line = line});
}

/// One session of a log, as its inputs.
struct recorded_session {
  json::object started; ///< payload of its MAPSessionStarted
  std::string id;
  std::vector<input> inputs;
};

/// The id that is asked for, or the only one that there is.
result<std::string> choose_session(const std::filesystem::path& log,
                                   const std::string& wanted) {
  std::set<std::string, std::less<>> ids;
  const auto read = visit_sessions(log,
                                   [&](const auto&, std::string_view line) {
                                     const auto head = head_of(line);
                                     if (!ids.contains(head.session_id))
                                       ids.emplace(head.session_id);
                                   });
  if (!read)
    return fail(read.error());
  if (!wanted.empty())
    return ids.contains(wanted)
             ? result<std::string>{wanted}
             : refuse(
               "fork_session",
               "the log has no event of this session, or not its beginning",
               log.string());
  if (ids.size() != 1)
    return refuse("fork_session",
                  "the log has " + std::to_string(ids.size())
                    + " sessions; name one with --session",
                  log.string());
  return *ids.begin();
}

/// Takes a session's events, one by one.
class session_taker {
public:
  explicit session_taker(std::string id) : found_{.id = std::move(id)} {
    again_.show_inputs(
      [this](const input& in) { found_.inputs.push_back(in); });
  }

  void take(const std::string& file, std::size_t number,
            std::string_view line) {
    if (wrong_)
      return;
    if (found_.started.empty())
      if (const auto event = parse_json(line); event && event->is_object())
        found_.started = object_of(event->get_object(), "payload");
    if (const auto other = again_.feed(number, line)) {
      const bool same_rules = other->rule.empty();
      wrong_
        = error{.code = same_rules ? errc::not_allowed : errc::unsupported,
                .message = "the session cannot be forked: " + other->message,
                .file = file,
                .rule = same_rules ? "replay_diverged" : other->rule,
                .line = other->line};
    }
  }

  result<recorded_session> finish() {
    if (wrong_)
      return fail(*std::move(wrong_));
    return std::move(found_);
  }

private:
  recorded_session found_;
  session::replayer again_{modes::find};
  std::optional<error> wrong_;
};

result<recorded_session> read_session(const std::filesystem::path& log,
                                      const std::string& wanted) {
  const auto id = choose_session(log, wanted);
  if (!id)
    return fail(id.error());
  session_taker taker{*id};
  const auto read
    = visit_sessions(log, [&](const log_place& place, std::string_view line) {
        if (head_of(line).session_id == *id)
          taker.take(place.file, place.number, line);
      });
  if (!read)
    return fail(read.error());
  return taker.finish();
}

/// The recorded scenario with what is to be different.
result<session::spec> changed_scenario(const recorded_session& from,
                                       const fork_order& how) {
  auto scenario = object_of(from.started, "spec");
  for (std::size_t i = 0; i < how.overrides.size(); ++i) {
    const auto parsed = parse_override(how.overrides[i]);
    auto applied = parsed ? apply(*parsed, scenario) : fail(parsed.error());
    if (!applied) {
      applied.error().pointer = "/set/" + std::to_string(i);
      return fail(std::move(applied).error());
    }
  }
  auto made = session::decode_spec(scenario);
  if (!made)
    return made;
  if (auto known = check_known_names(*made); !known)
    return fail(std::move(known).error());
  made->collab.collab_id = to_string(how.ids.next());
  return made;
}

result<forked_session> fork_recorded(const recorded_session& from,
                                     std::string log, const fork_order& how) {
  auto scenario = changed_scenario(from, how);
  if (!scenario)
    return fail(std::move(scenario).error());
  // What is shared is known only at the end, and it belongs into the first
  // event: the recorded session alone finds the point.
  const auto point = find_point(from.started, from.inputs, how.event_id,
                                how.turn);
  if (!point)
    return fail(point.error());
  scenario->origin = {.log = std::move(log),
                      .session_id = from.id,
                      .event_id = point->event_id};
  auto twins = fork_replay::make(from.started, *scenario, how.ids.next());
  if (!twins)
    return fail(std::move(twins).error());
  const auto last_at = from.inputs[point->inputs - 1].now;
  const auto shift = how.now ? *how.now - last_at : 0;
  for (std::size_t i = 0; i < point->inputs; ++i)
    if (auto same = twins->feed(from.inputs[i], shift); !same)
      return fail(same.error());
  twins->part(last_at + shift);
  if (how.answer)
    if (auto given = twins->answer(how.answer->participant_id,
                                   how.answer->reply, last_at + shift);
        !given)
      return fail(std::move(given).error());
  return forked_session{*std::move(scenario), twins->events(), point->inputs};
}

} // namespace

result<forked_session> fork_session(const std::filesystem::path& log,
                                    const fork_order& how) {
  const auto from = read_session(log, how.session_id);
  if (!from)
    return fail(from.error());
  return fork_recorded(*from, sanitize_utf8(log.string()), how);
}

result<forked_session> fork_events(const std::vector<std::string>& events,
                                   std::string log, const fork_order& how) {
  session_taker taker{how.session_id};
  std::size_t number = 0;
  for (const auto& line : events)
    taker.take(log, ++number, line);
  const auto from = taker.finish();
  if (!from)
    return fail(from.error());
  if (from->started.empty())
    return refuse("fork_point", "the session has not started");
  return fork_recorded(*from, std::move(log), how);
}

} // namespace convene::host
