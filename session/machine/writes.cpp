// What participants write: which writes count, and how they get on the log.

#include <convene/session/machine/append.hpp>
#include <convene/session/spec/normalise.hpp>
#include <convene/session/spec/workspace_start.hpp>

#include <limits>
#include <utility>

namespace convene::session {
namespace {

resource_name named(const protocol::resource_write& what) {
  return {what.resource_type, what.resource_id};
}

protocol::node_change change_of(const resource_version& before, bool deletes) {
  if (deletes)
    return protocol::node_change::removed;
  return before && !before->deleted ? protocol::node_change::updated
                                    : protocol::node_change::added;
}

} // namespace

void machine::open_workspace() {
  if (spec_.workspace.empty())
    return;
  shared_.resources = *make_workspace(spec_); // activation has tried it
  append(protocol::workspace_opened{.graph_id = spec_.collab.context_id,
                                    .resources = spec_.workspace.size()});
}

std::uint64_t machine::oldest_seen() const {
  return open_.empty() ? std::numeric_limits<std::uint64_t>::max()
                       : slots_[open_.front()].open->revision;
}

void machine::take_writes(participant_index who, const protocol::reply& reply,
                          bool completed) {
  if (reply.writes.empty())
    return;
  const auto& open = *slots_[who].open;
  if (!completed) {
    out_->notices.push_back(
      {who, open.token, "writes_ignored", "the reply did not complete"});
    return;
  }
  const writing by{.who = who,
                   .turn_number = open.turn_number,
                   .token = open.token,
                   .allowed = open.may_write};
  for (const auto& what : reply.writes)
    attempt(by, what);
}

void machine::on(write_attempt&& w) {
  if (w.from >= slots_.size()) {
    ++tally_.refused;
    return;
  }
  protocol::reply wrapped{.writes = {std::move(w.what)}};
  normalise(wrapped);
  if (wrapped.writes.empty()) {
    ++tally_.refused;
    out_->notices.push_back(
      {w.from, w.token, "write_refused", std::move(wrapped.error.code)});
    return;
  }
  auto& what = wrapped.writes.front();
  const auto& open = slots_[w.from].open;
  const bool live = open
                    && (open->token == w.token || off(mutant::token_check));
  writing by{.who = w.from, .token = w.token, .input = true};
  if (live && open->kind != request_kind::decision) {
    by.turn_number = open->turn_number;
    by.allowed = open->may_write;
    return attempt(by, what);
  }
  if (too_many_violations(w.from))
    return;
  const bool stale = w.token == slots_[w.from].last_token;
  reject(by, what, stale ? "stale_token" : "exclusive_write_violation",
         turn_.current_turn_holder,
         stale ? "the request had closed before the write came"
               : "the write names no live request of its sender");
}

void machine::attempt(const writing& by, const protocol::resource_write& what) {
  if (!by.allowed)
    return reject(by, what, "exclusive_write_violation", no_participant,
                  "this turn gives no right to write");
  if (!off(mutant::permission_check)
      && !shared_.allowed.may_write(spec_, by.who, what.resource_type))
    return reject(by, what, "permission_denied", no_participant,
                  "the role lacks the capability to write this type");
  const auto name = named(what);
  if (const auto& open = slots_[by.who].open;
      open && !may_write(*open->terms, name))
    return reject(by, what, "exclusive_write_violation", no_participant,
                  "the turn may write only the resources that it names");
  if (const auto holder = shared_.claims.holder(name);
      holder != no_participant && holder != by.who && !off(mutant::claim_check))
    return reject(by, what, "resource_claimed", holder,
                  "another participant holds a claim on it");
  if (is_disputed(name))
    return reject(by, what, "concurrent_modification",
                  shared_.resources.find(name)->by.participant,
                  "the resource waits for a conflict to be settled");
  const auto standing = shared_.resources.find(name);
  const auto version = standing ? standing->version : 0;
  const auto base = static_cast<std::uint64_t>(what.base_version);
  if (base > version)
    return refuse_write(
      by, what,
      {.message = "there is no version " + std::to_string(what.base_version)
                  + ", the latest is " + std::to_string(version),
       .rule = "base_version_unknown"});
  if (base < version && !off(mutant::base_version_check))
    return clash_with(by, what);
  const auto made = apply_write(what, standing.get());
  if (!made)
    return refuse_write(by, what, made.error());
  if (auto room = shared_.resources.check_room(name, size_of(*made)); !room)
    return refuse_write(by, what, room.error());
  accept(by, what, *made, {});
}

void machine::accept(const writing& by, const protocol::resource_write& what,
                     const written& made, const protocol::uuid& conflict,
                     std::uint64_t replaced) {
  const auto name = named(what);
  if (auto& open = slots_[by.who].open)
    open->wrote = true;
  const auto before = shared_.resources.find(name);
  const auto after = shared_.resources.add(
    name, made.value,
    {.participant = by.who, .turn_number = by.turn_number, .token = by.token},
    oldest_seen(), replaced);
  // A write on another base than the one that stood is logged by its result.
  const bool as_it_came = conflict.is_nil();
  const auto op = as_it_came       ? what.op
                  : after->deleted ? protocol::write_op::remove
                                   : protocol::write_op::put;
  const auto* value = op == protocol::write_op::remove ? nullptr
                      : as_it_came                     ? &what.value
                                                       : &after->value;
  append(protocol::resource_written{.act = {.resource_type = what.resource_type,
                                            .resource_id = what.resource_id,
                                            .who = name_of(by.who),
                                            .turn_number = by.turn_number,
                                            .token_id = by.token},
                                    .graph_id = spec_.collab.context_id,
                                    .change = change_of(before, after->deleted),
                                    .version = after->version,
                                    .base_version = what.base_version,
                                    .op = op,
                                    .value = value,
                                    .conflict_id = conflict,
                                    .input = by.input && as_it_came});
}

void machine::refuse_write(const writing& by,
                           const protocol::resource_write& what,
                           const protocol::error& why) {
  append(protocol::write_refused{.act = {.resource_type = what.resource_type,
                                         .resource_id = what.resource_id,
                                         .who = name_of(by.who),
                                         .turn_number = by.turn_number,
                                         .token_id = by.token},
                                 .execution_id = next_id(),
                                 .write = &what,
                                 .error_code = why.rule,
                                 .error_message = why.message,
                                 .input = by.input});
  tell_lost(by, what, why.rule);
}

} // namespace convene::session
