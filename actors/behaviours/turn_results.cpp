// What comes of the actions of a turn: on the log, or beside it.

#include <convene/actors/behaviours/action_refusals.hpp>
#include <convene/actors/behaviours/turn_actions.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/session/spec/normalise_action.hpp>

#include <utility>

namespace convene::actors {

using protocol::action_result;
using protocol::action_status;

namespace {

/// Why an output that the log has cannot be had. Whatever else stands in the
/// way, such as a full pool, is no reason of the blob's own.
protocol::action_error not_found(const protocol::error& why) {
  const bool is_of_blob = why.rule.starts_with("blob_");
  return {.code = is_of_blob ? why.rule : "blob_unreadable",
          .message = to_string(why)};
}

} // namespace

void turn_actions::mask(
  std::shared_ptr<const protocol::known_secrets> secrets) {
  const std::lock_guard held{mutex_};
  secrets_ = std::move(secrets);
}

/// Passes on what the log has; its output may be beside it.
void turn_actions::recall(action_result known, const when_acted& then) {
  auto* const blobs = link_->blobs();
  if (blobs == nullptr || !protocol::blob_in(known.output))
    return then(std::move(known));
  const auto reference = known.output;
  blobs->get(reference, [weak = weak_from_this(), known = std::move(known),
                         then](protocol::result<protocol::json::value> found) {
    const auto self = weak.lock();
    if (!self)
      return;
    auto answer = known;
    if (found)
      answer.output = *std::move(found);
    else
      answer = {.status = action_status::failed,
                .error = not_found(found.error()),
                .usage = known.usage};
    self->tell_unless_over(then, std::move(answer));
  });
}

void turn_actions::tell_unless_over(const when_acted& then,
                                    action_result result) {
  {
    const std::lock_guard held{mutex_};
    if (over_)
      return;
  }
  then(std::move(result));
}

bool turn_actions::is_under_way(const std::string& position,
                                std::uint64_t run) const {
  const std::lock_guard held{mutex_};
  const auto found = open_.find(position);
  return found != open_.end() && found->second.run == run;
}

void turn_actions::ended(const std::string& position, std::uint64_t run,
                         action_result result) {
  if (const auto secrets = [this] {
        const std::lock_guard held{mutex_};
        return secrets_;
      }()) {
    secrets->mask(result.output);
    secrets->mask(result.error.code);
    secrets->mask(result.error.message);
  }
  auto* const blobs = link_->blobs();
  if (blobs == nullptr || result.status != action_status::completed
      || !is_for_blob(result.output))
    return record(position, run, std::move(result), nullptr);
  if (!is_under_way(position, run))
    return;
  const auto output = std::make_shared<protocol::json::value>(
    std::exchange(result.output, nullptr));
  blobs->put(output, [weak = weak_from_this(), position, run, result,
                      output](protocol::result<protocol::json::value> kept) {
    const auto self = weak.lock();
    if (!self)
      return;
    auto logged = result;
    const bool is_kept = kept.has_value();
    if (is_kept) {
      logged.output = *std::move(kept);
    } else {
      logged = not_kept(kept.error());
      logged.usage = result.usage;
    }
    self->record(position, run, std::move(logged), is_kept ? output : nullptr);
  });
}

void turn_actions::record(
  const std::string& position, std::uint64_t run, action_result result,
  const std::shared_ptr<protocol::json::value>& output) {
  const auto retry_after_ms = result.error.retry_after_ms;
  session::normalise(result);
  std::uint32_t attempt = 0;
  std::optional<std::int64_t> delay;
  all_work::node_type gone;
  cancel_function spent; // goes without the lock
  {
    const std::lock_guard held{mutex_};
    const auto found = open_.find(position);
    if (found == open_.end() || found->second.run != run)
      return;
    auto& of = found->second;
    attempt = of.attempt;
    delay = delay_before_next(of, result, retry_after_ms);
    if (delay) {
      of.run = 0;
      ++of.attempt;
      spent.swap(of.cancel);
    } else {
      gone = open_.extract(found);
    }
  }
  link_->end(position, attempt, result);
  if (delay) {
    if (!link_->call_later(position, 0, *delay))
      try_again(position);
    return;
  }
  if (output)
    result.output = std::move(*output);
  gone.mapped().then(std::move(result));
}

} // namespace convene::actors
