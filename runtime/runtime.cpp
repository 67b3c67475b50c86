#include <caf/send.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/runtime/thread_trial.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace convene {
namespace {

/// Refuses a log that lacks the end of a session that is known to have ended.
result<void> check_known_ends(const runtime_options& how,
                              const recovery_options& with,
                              const host::log_ledger& found) {
  std::vector<std::string> missing;
  const bool is_trimmed = host::is_trimmed(how.log);
  for (const auto& id : with.known_ended) {
    const auto* session = found.find(id);
    if (session == nullptr ? !is_trimmed : !session->has_ended)
      missing.push_back(id);
  }
  if (missing.empty())
    return {};
  constexpr std::size_t named_max = 10;
  std::string names;
  for (std::size_t i = 0; i < missing.size() && i < named_max; ++i)
    names += (i == 0 ? "" : ", ") + missing[i];
  if (missing.size() > named_max)
    names += " and " + std::to_string(missing.size() - named_max) + " more";
  return protocol::fail(
    {.code = protocol::errc::invalid_document,
     .message = "the log has lost what was acknowledged: it has no end of "
                + std::to_string(missing.size())
                + (missing.size() == 1 ? " session that" : " sessions that")
                + " had ended: " + names,
     .file = how.log.string(),
     .rule = host::session_end_missing});
}

/// How long a cancelled session may take to say so.
constexpr std::chrono::seconds close_limit{10};
/// The same where one of them may be waiting for whoever closes.
constexpr std::chrono::seconds inside_limit{1};

tl::unexpected<error> fail_unended(std::size_t sessions) {
  return protocol::fail(
    {.code = protocol::errc::not_allowed,
     .message = std::to_string(sessions)
                + (sessions == 1 ? " session has" : " sessions have")
                + " not ended, and the log lacks the end: a function, an "
                  "observer or a subscriber does not return",
     .rule = "sessions_running"});
}

/// Ended sessions that the caller selects or whose documents are missing.
std::function<bool(const std::string&)>
unstored(std::shared_ptr<host::state_store> store,
         const recovery_options& with) {
  return [store = std::move(store),
          wanted = with.wants_ended](const std::string& id) {
    if (wanted && wanted(id))
      return true;
    const auto stored = host::has_documents(*store, id);
    return !stored || !*stored; // an error is reported when it is stored
  };
}

observer in_turn(observer first, observer second) {
  if (!second)
    return first;
  return [first = std::move(first), second = std::move(second)](
           std::string_view session_id, std::string_view lines) {
    first(session_id, lines);
    second(session_id, lines);
  };
}

} // namespace

const std::string& session_handle::id() const noexcept {
  return state_->id;
}

result<session_result> session_handle::await() const {
  if (auto never = state_->refuse_wait())
    return tl::unexpected(*std::move(never));
  if (!state_->is_done() && state_->virtual_clock != nullptr
      && !state_->virtual_clock->run_until(
        [this] { return state_->is_done(); }))
    return protocol::fail(protocol::errc::not_allowed,
                          "nothing is left that could end the session");
  std::unique_lock held{state_->mutex};
  state_->ended.wait(held, [this] { return state_->outcome != nullptr; });
  return *state_->outcome;
}

std::optional<error> session_handle::refused() const {
  const std::lock_guard held{state_->mutex};
  return state_->is_refused ? std::optional{state_->outcome->error()}
                            : std::nullopt;
}

std::optional<result<session_result>>
session_handle::await_for(std::chrono::milliseconds limit) const {
  if (limit > limit.zero()) {
    if (state_->virtual_clock != nullptr)
      return await();
    if (auto never = state_->refuse_wait())
      return tl::unexpected(*std::move(never));
  }
  std::unique_lock held{state_->mutex};
  constexpr std::chrono::hours longest{24 * 365};
  state_->ended.wait_for(held,
                         std::min<std::chrono::milliseconds>(limit, longest),
                         [this] { return state_->outcome != nullptr; });
  return state_->outcome ? std::optional{*state_->outcome} : std::nullopt;
}

std::shared_ptr<const session_result> session_handle::left() const {
  const std::lock_guard held{state_->mutex};
  return state_->left;
}

result<session_result>
session_handle::await_in(const turn_request& turn) const {
  if (!turn.live)
    return await();
  const auto number = turn.live->when_over(
    [self = *this] { self.cancel("the turn that it was part of is over"); });
  auto ended = await();
  turn.live->forget(number);
  return ended;
}

void session_handle::suspend(std::string reason) const {
  state_->send(actors::control::verb::suspend, std::move(reason));
}

void session_handle::resume() const {
  state_->send(actors::control::verb::resume, {});
}

void session_handle::stop(std::string reason) const {
  state_->send(actors::control::verb::stop, std::move(reason));
}

void session_handle::cancel(std::string reason) const {
  state_->send(actors::control::verb::cancel, std::move(reason));
}

void session_handle::message(std::string content, std::string participant_id,
                             std::function<void(result<void>)> then) const {
  state_->send({.what = actors::control::verb::message,
                .reason = std::move(content),
                .participant_id = std::move(participant_id),
                .then = std::move(then)});
}

runtime::runtime(std::unique_ptr<implementation> made)
  : implementation_(std::move(made)) {
  // nop
}

runtime::runtime(const runtime_options& how) {
  auto opened = open(how);
  if (!opened)
    throw std::runtime_error(to_string(opened.error()));
  implementation_ = std::move((*opened)->implementation_);
}

result<std::unique_ptr<runtime>> runtime::open(const runtime_options& how,
                                               const recovery_options& with) {
  if (how.validation == validation_level::off)
    return host::runtime_access::open(how, nullptr, std::nullopt, with);
  auto rules = protocol::boundary::embedded_rules();
  if (!rules)
    return tl::unexpected(std::move(rules).error());
  return host::runtime_access::open(how, *std::move(rules), std::nullopt, with);
}

namespace {

struct opened_log {
  std::unique_ptr<host::event_log_writer> log;
  std::shared_ptr<host::blob_keeper> blobs;
};

/// Reads the log into `found`, and goes on with it. Without one: nothing.
result<opened_log>
open_log(const runtime_options& how, host::log_options options,
         const recovery_options& with,
         const std::shared_ptr<host::session_register>& on_log,
         host::log_ledger& found) {
  opened_log made;
  if (auto fits = host::check_shared(how); !fits)
    return tl::unexpected(std::move(fits).error());
  if (how.log.empty())
    return made;
  options.accept_loss = with.accept_loss;
  const auto has_known_ends = [&] {
    return with.accept_loss ? result<void>{}
                            : check_known_ends(how, with, found);
  };
  // Nothing is begun in place of a log that is gone.
  std::error_code none;
  if (!std::filesystem::exists(how.log, none))
    if (auto fit = has_known_ends(); !fit)
      return tl::unexpected(std::move(fit).error());
  // With the log locked, before anything is written: again, as another process
  // may have had it meanwhile.
  options.approve = [&] {
    return has_known_ends()
      .and_then([&] { return host::check_shared(how); })
      .and_then([&] { return host::mark_shared(how); });
  };
  if (host::has_blobs(how.log)) {
    made.blobs = std::make_shared<host::blob_keeper>(
      host::blob_folder_for(how.log), options);
    options.companions.push_back(made.blobs);
  }
  if (options.removes())
    options.companions.push_back(on_log);
  auto opened = host::event_log_writer::open(
    how.log, options,
    [&found](const auto& place, auto line) { found.feed(place, line); });
  if (!opened)
    return tl::unexpected(std::move(opened).error());
  made.log = *std::move(opened);
  return made;
}

} // namespace

result<std::unique_ptr<runtime>> host::runtime_access::open(
  const runtime_options& how,
  std::shared_ptr<const protocol::boundary::rules> rules,
  const std::optional<log_options>& log_how, const recovery_options& with,
  machine_clocks clocks) {
  // Virtual time draws the keys of all sessions again, also of removed ones.
  if (how.seed && (how.log_keep_bytes != 0 || how.log_keep_time.count() != 0))
    return protocol::fail({.code = protocol::errc::not_allowed,
                           .message = "under virtual time no segment of the "
                                      "log can be removed",
                           .rule = "log_keep_bytes"});
  if (how.store && (how.log_keep_bytes != 0 || how.log_keep_time.count() != 0))
    return protocol::fail(
      {.code = protocol::errc::not_allowed,
       .message = "the store gets events from the log when "
                  "the runtime is closed: remove no segment "
                  "of it, or use no store",
       .rule = "store"});
  if (auto enough = claim_threads(how); !enough)
    return tl::unexpected(std::move(enough).error());
  const auto on_log = std::make_shared<host::session_register>();
  host::log_ledger found{how.store ? unstored(how.store, with)
                                   : with.wants_ended};
  auto opened = open_log(how, log_how.value_or(log_options_for(how)), with,
                         on_log, found);
  if (!opened)
    return tl::unexpected(std::move(opened).error());
  auto options = how;
  // Time goes on from the last event.
  options.virtual_start = std::max(how.virtual_start, found.last_at());
  const log_clock clock{std::move(clocks), found.last_at()};
  // Less than that comes of rounding, and of two clocks that drift apart.
  constexpr std::chrono::milliseconds told_from{100};
  if (!how.seed && clock.behind() >= told_from)
    spdlog::warn("the clock is {:.3f} s behind the last event of {}; the log's "
                 "time continues from there",
                 std::chrono::duration<double>{clock.behind()}.count(),
                 how.log.string());
  if (opened->blobs && opened->blobs->swept() != 0)
    spdlog::info("{}: removed {} blobs that no event names",
                 opened->blobs->folder().string(), opened->blobs->swept());
  const auto bytes_cut = opened->log ? opened->log->found().bytes_cut : 0;
  std::unique_ptr<runtime> made{new runtime{
    std::make_unique<runtime::implementation>(options, std::move(opened->log),
                                              std::move(opened->blobs), on_log,
                                              std::move(rules), clock)}};
  made->implementation_->recovered.bytes_cut = bytes_cut;
  if (auto* const shared = shared_of(how.log_companions))
    shared->on_refused([&sink = made->implementation_->sink](log_position begin,
                                                             log_position end) {
      sink.refused(begin, end);
    });
  if (auto ready = made->implementation_->open_sinks(); !ready)
    return tl::unexpected(std::move(ready).error());
  if (with.subscribe) {
    auto subscribed = made->subscribe(*with.subscribe);
    if (!subscribed)
      return tl::unexpected(std::move(subscribed).error());
    made->implementation_->recovered.subscribed = *std::move(subscribed);
  }
  auto& inside = *made->implementation_;
  if (auto resumed = inside.recover(found, inside.archived(with)); !resumed)
    return tl::unexpected(std::move(resumed).error());
  return made;
}

const recovery& runtime::recovered() const noexcept {
  return implementation_->recovered;
}

void runtime::suspend_all(const std::string& reason) {
  implementation_->leave_all(actors::control::verb::leave, reason);
}

void runtime::halt_all() {
  implementation_->leave_all(actors::control::verb::halt, {});
}

runtime::~runtime() {
  if (!implementation_)
    return;
  const bool is_virtual = implementation_->virtual_clock.has_value();
  const bool is_inside = implementation_->runs_caller();
  // Actors of virtual time run here, if this thread still has its objects.
  if (!is_inside && (!is_virtual || !host::virtual_time::is_thread_ending())) {
    static_cast<void>(close());
    return;
  }
  // Should the program end first, others do nothing any more, and what has
  // happened is on the log.
  if (is_inside && !is_virtual)
    implementation_->cancel_running(inside_limit);
  if (is_inside)
    static_cast<void>(flush());
  // Whoever runs this under virtual time goes on in the runtime.
  auto* const left = implementation_.release();
  if (is_virtual && is_inside)
    return;
  try {
    std::thread ending{[left] {
      runtime last{std::unique_ptr<implementation>{left}};
      static_cast<void>(last.close());
      last.implementation_.reset();
    }};
    // Actors run on the thread that closes virtual time: not on this one, which
    // has lost its thread-local objects already.
    if (is_inside)
      ending.detach();
    else
      ending.join();
  } catch (const std::system_error&) {
    // No thread is left: the runtime stays as it is.
  }
}

session_handle runtime::start(const session_setup& setup, observer watch) {
  session::spec scenario;
  {
    const auto still = implementation_->hold_time();
    const std::lock_guard held{implementation_->mutex};
    const auto now = implementation_->time().now();
    auto& ids = implementation_->ids;
    if (const auto seed = implementation_->options.seed) {
      // Also equal setups get different ids, each for its place.
      protocol::uuid_source none{0};
      auto own = host::seeded_ids(
        *seed, {{"place", to_string(ids.next())},
                {"spec", session::encode(make_spec(setup, none, now))}});
      scenario = make_spec(setup, own, now);
    } else {
      scenario = make_spec(setup, ids, now);
    }
  }
  start_options how{.observer = std::move(watch),
                    .conditions = setup.conditions};
  for (const auto& p : setup.participants)
    how.functions.emplace(p.participant_id, p);
  return start(std::move(scenario), std::move(how));
}

session_handle runtime::start(session::spec scenario, start_options how) {
  auto state = std::make_shared<session_handle::shared>();
  state->id = scenario.collab.collab_id;
  if (implementation_->virtual_clock)
    state->virtual_clock = &*implementation_->virtual_clock;
  state->system = &implementation_->system;
  const auto& watch = implementation_->starts;
  if (watch.observe)
    how.observer = in_turn(watch.observe(), std::move(how.observer));
  how.observer = implementation_->archived(std::move(how.observer));
  auto launched = implementation_->launch(state, std::move(scenario),
                                          std::move(how));
  const bool is_running = launched.has_value();
  if (!is_running)
    state->refuse(std::move(launched).error());
  session_handle made{std::move(state)};
  if (is_running && watch.started)
    watch.started(made);
  return made;
}

result<void>
runtime::check_documents(const host::session_documents& documents) {
  return implementation_->boundary_validator.check(documents);
}

validation_counts runtime::refused() const noexcept {
  return implementation_->boundary_validator.refused();
}

std::uint64_t runtime::late_answers() const noexcept {
  return implementation_->late->count;
}

std::size_t runtime::hung_functions() const {
  return implementation_->pool.hung();
}

host::runtime_counts host::runtime_access::counts(const runtime& which) {
  return {.log = which.implementation_->sink.counts(),
          .jobs = which.implementation_->pool.waiting()};
}

host::runtime_counts host::counts_of(const runtime& which) {
  return runtime_access::counts(which);
}

result<subscription> runtime::subscribe(subscription_options how) {
  return implementation_->sink.subscribe(std::move(how));
}

result<void> runtime::flush() {
  auto& archive = implementation_->archive;
  auto done = implementation_->sink.flush();
  return done && archive ? archive->flush() : done;
}

void runtime::implementation::cancel_running(std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<session_handle::shared>> left;
  {
    const std::lock_guard held{mutex};
    closing = true;
    for (const auto& [id, weak] : running)
      if (auto state = weak.lock())
        left.push_back(std::move(state));
  }
  for (const auto& session : left)
    session->send(actors::control::verb::cancel, std::string{closed_reason});
  if (!virtual_clock) {
    std::unique_lock held{mutex};
    idle.wait_for(held, limit,
                  [this] { return running.empty() && ending == 0; });
  }
}

std::size_t runtime::implementation::unended() {
  const std::lock_guard held{mutex};
  return running.size() + ending;
}

result<void> runtime::close(std::chrono::milliseconds wait) {
  if (implementation_->runs_caller() || implementation_->pool.runs_caller())
    return protocol::fail(protocol::errc::not_allowed,
                          "a function of the runtime cannot wait for itself: "
                          "close it on a thread of the application",
                          std::string{await_inside});
  auto closed = close();
  if (implementation_->pool.wait_until_idle(wait) || !closed)
    return closed;
  return protocol::fail(
    {.code = protocol::errc::not_allowed,
     .message = "still running: " + implementation_->functions->names(),
     .rule = "functions_running"});
}

result<void> runtime::close() {
  implementation_->cancel_running(close_limit);
  {
    const auto still = implementation_->hold_time();
    caf::anon_send_exit(implementation_->timekeeper,
                        caf::exit_reason::user_shutdown);
  }
  // Until all actors are gone: nobody else would run them.
  if (implementation_->virtual_clock)
    static_cast<void>(
      implementation_->virtual_clock->run_until([] { return false; }));
  const auto left = implementation_->unended();
  auto closed = implementation_->sink.close();
  implementation_->close_sinks();
  result<void> stored;
  if (implementation_->archive)
    stored = implementation_->archive->close(
      closed ? implementation_->options.log : std::filesystem::path{});
  if (closed && left != 0)
    return fail_unended(left);
  return closed ? stored : closed;
}

} // namespace convene
