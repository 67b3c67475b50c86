#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workflow/fork.hpp>
#include <convene/session/workflow/replay_run.hpp>
#include <convene/session/workflow/start_size.hpp>

#include <algorithm>
#include <map>

namespace convene::session {
namespace {

using namespace protocol;

tl::unexpected<error> wrong_fork(std::string rule, std::string message,
                                 std::string pointer,
                                 const json::value* found = nullptr) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = found == nullptr ? "" : shorten_value(*found)});
}

/// The events of a run as those of another that begins alike.
class inheritance {
public:
  inheritance(const fork_source& from, run_started first)
    : from_{from}, first_{std::move(first)} {
    for (const auto& event : from.log)
      places_.emplace(event.event_id, event.sequence);
  }

  [[nodiscard]] run_event copy(std::size_t place) const {
    auto made = from_.log[place];
    made.event_id = run_event_id(from_.run_id, made.sequence);
    if (made.causation_id)
      if (const auto cause = places_.find(*made.causation_id);
          cause != places_.end())
        made.causation_id = run_event_id(from_.run_id, cause->second);
    if (made.type == to_word(workflow_event_type::run_started))
      made.payload.held = encode(first_);
    if (auto* payload = made.payload.held.if_object();
        payload != nullptr && made.type.starts_with("interrupt.")
        && text_of(*payload, "runId") == made.run_id)
      (*payload)["runId"] = from_.run_id;
    made.run_id = from_.run_id;
    return made;
  }

private:
  const fork_source& from_;
  run_started first_;
  std::map<std::string, std::int64_t> places_;
};

/// Folds the first events; how many of them end with a whole step.
result<std::size_t> inherit(const inheritance& all, std::size_t count,
                            forked_run& to) {
  std::size_t whole = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto event = all.copy(i);
    if (auto done = to.machine.fold(event); !done)
      return fail(std::move(done).error());
    to.events.push_back(std::move(event));
    if (to.machine.check_whole())
      whole = i + 1;
  }
  return whole;
}

/// How the source was started, as the fork begins.
result<run_started> first_of(const fork_source& from, const fork_request& how) {
  if (from.log.empty()
      || from.log.front().type != to_word(workflow_event_type::run_started))
    return fail(errc::not_allowed, "the run has not started", "run_order");
  auto read = decode<run_started>(from.log.front().payload.held, "/payload");
  if (!read)
    return read;
  const auto& source_id = from.log.front().run_id;
  const auto earlier = std::exchange(read->forked_from, std::nullopt);
  read->callback_digest.reset();
  read->parent.reset(); // which waits for the source
  read->workflow_version = from.workflow->definition.version;
  read->workflow_digest = from.workflow->digest;
  for (const auto& [name, value] : how.configurable)
    read->configurable[name] = value;
  if (how.tags)
    read->tags = *how.tags;
  if (how.metadata)
    read->metadata = *how.metadata;
  if (auto fits = check_configurable(*from.workflow, read->configurable);
      !fits && how.mode == fork_mode::branch) {
    auto wrong = std::move(fits).error();
    wrong.pointer.insert(0, "/runOptionsOverlay/configurable");
    return fail(std::move(wrong));
  }
  run_fork made{.run_id = source_id,
                .from_seq = how.from_seq,
                .inherited = how.from_seq,
                .mode = how.mode,
                .ids_of = from.run_id};
  if (how.mode == fork_mode::replay) {
    const bool is_replay = earlier && earlier->mode == fork_mode::replay;
    made.ids_of = is_replay ? earlier->ids_of : source_id;
    // What the source itself inherited has other ids than it would make.
    if (earlier)
      made.inherited = std::max(made.inherited, earlier->inherited);
  } else if (read->conversation_primitive) {
    read->conversation_primitive = from.options.has_conversations;
  }
  read->forked_from = std::move(made);
  return read;
}

start_run start_like(const run_started& first) {
  return {.inputs = first.inputs,
          .configurable = first.configurable,
          .tags = first.tags,
          .metadata = first.metadata,
          .transport = first.transport,
          .conversation_primitive = first.conversation_primitive,
          .forked_from = first.forked_from};
}

tl::unexpected<error> wrong_overlay(std::string rule, std::string message,
                                    std::string_view name,
                                    const json::value& found) {
  std::string at = "/runOptionsOverlay";
  append_to_pointer(at, name);
  return wrong_fork(std::move(rule), std::move(message), std::move(at), &found);
}

result<void> read_overlay(const json::object& from, fork_request& to) {
  for (const auto& [name, value] : from) {
    if (name == "tags") {
      const auto* const list = value.if_array();
      if (list == nullptr || !std::ranges::all_of(*list, [](const auto& each) {
            return each.is_string();
          }))
        return wrong_overlay("type", "tags is a list of strings", name, value);
      auto& tags = to.tags.emplace();
      for (const auto& each : *list)
        tags.emplace_back(each.get_string());
    } else if (name != "configurable" && name != "metadata") {
      return wrong_overlay("overlay",
                           "runOptionsOverlay has configurable, tags and "
                           "metadata at most",
                           name, value);
    } else if (!value.is_object()) {
      return wrong_overlay("type", "the member must be an object", name, value);
    } else if (name == "metadata") {
      to.metadata = value.get_object();
    } else {
      to.configurable = value.get_object();
    }
  }
  return {};
}

} // namespace

result<fork_request> read_fork_request(const json::value& from) {
  const auto* const body = from.if_object();
  if (body == nullptr)
    return wrong_fork("type", "a fork is asked for by an object", "", &from);
  for (const auto& [name, value] : *body)
    if (name != "mode" && name != "fromSeq" && name != "runOptionsOverlay"
        && name != "divergencePolicy") {
      std::string at;
      append_to_pointer(at, name);
      return wrong_fork("additionalProperties",
                        "a fork has mode, fromSeq, runOptionsOverlay and "
                        "divergencePolicy",
                        std::move(at), &value);
    }
  const auto mode = from_word<fork_mode>(text_of(*body, "mode"));
  if (!mode)
    return wrong_fork("mode", "mode is replay or branch", "/mode",
                      body->if_contains("mode"));
  fork_request made{.mode = *mode};
  const auto* const seq = body->if_contains("fromSeq");
  if (seq == nullptr && *mode == fork_mode::branch)
    return wrong_fork("required", "a branch says from where: add fromSeq", "");
  const auto number = integer_of(*body, "fromSeq");
  if (seq != nullptr && number.value_or(-1) < 0)
    return wrong_fork("minimum", "fromSeq is a whole number from 0 on",
                      "/fromSeq", seq);
  made.from_seq = number.value_or(0);
  if (const auto* const policy = body->if_contains("divergencePolicy")) {
    made.on_divergence
      = from_word<divergence_policy>(text_of(*body, "divergencePolicy"));
    if (!made.on_divergence || *mode == fork_mode::branch)
      return wrong_fork("divergence_policy",
                        "the divergencePolicy of a replay is continue or abort",
                        "/divergencePolicy", policy);
  }
  const auto* const overlay = body->if_contains("runOptionsOverlay");
  if (overlay == nullptr)
    return made;
  const auto* const options = overlay->if_object();
  if (options == nullptr)
    return wrong_fork("type", "runOptionsOverlay is an object",
                      "/runOptionsOverlay", overlay);
  if (*mode == fork_mode::replay && !options->empty())
    return wrong_fork("overlay", "a replay takes no options of its own",
                      "/runOptionsOverlay", overlay);
  return read_overlay(*options, made).map([&made] { return std::move(made); });
}

result<forked_run> fork_run(const fork_source& from, const fork_request& how,
                            timestamp_ms now) {
  auto first = first_of(from, how);
  if (!first)
    return fail(std::move(first).error());
  if (!how.configurable.empty() || how.tags || how.metadata)
    if (auto wrong = check_start_size(start_like(*first))) {
      wrong->what.pointer.insert(0, "/runOptionsOverlay");
      return fail(std::move(wrong->what));
    }
  if (how.from_seq > static_cast<std::int64_t>(from.log.size()))
    return wrong_fork(
      "from_seq", "the run has " + std::to_string(from.log.size()) + " events",
      "/fromSeq");
  const auto empty = [&] {
    return forked_run{run_machine{from.run_id, from.workflow, from.options},
                      {},
                      {}};
  };
  // What the source says of itself may be more than there is of it.
  if (first->forked_from->inherited
      > static_cast<std::int64_t>(from.log.size()))
    return fail(errc::invalid_document,
                "the run has not all events that it began with", "run_order");
  // Twice, since the first event says how many are inherited.
  auto made = empty();
  const auto whole
    = inherit({from, *first},
              static_cast<std::size_t>(first->forked_from->inherited), made);
  if (!whole)
    return fail(whole.error());
  first->forked_from->inherited = static_cast<std::int64_t>(*whole);
  made = empty();
  if (const auto again = inherit({from, *first}, *whole, made); !again)
    return fail(again.error());
  if (how.mode == fork_mode::replay)
    return replay_run(from, start_like(*first), std::move(made),
                      how.on_divergence.value_or(from.options.on_divergence));
  auto effects = *whole == 0 ? made.machine.feed(start_like(*first), now)
                             : made.machine.feed(check_timers{}, now);
  if (effects.refusal)
    return fail(std::move(effects.refusal->what));
  std::ranges::move(effects.events, std::back_inserter(made.events));
  made.actions = std::move(effects.actions);
  return made;
}

} // namespace convene::session
