#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>
#include <convene/runtime/data/state_store/tables_store.hpp>

#include <csignal>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What an attempt comes to, whatever it throws.
template <class T, class Work>
result<T> attempt(state_tables& tables, const Work& work) {
  result<T> made = fail(errc::internal, "nothing was done");
  if (const auto threw = actors::catch_error([&] { made = work(tables); }))
    made = fail(errc::internal, "a state store failed: " + *threw);
  return made;
}

/// Signals are for other threads than those that begin meanwhile.
class signals_blocked {
public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

private:
  sigset_t before_{};
};

} // namespace

tables_store::tables_store(std::unique_ptr<state_tables> tables)
  : tables_{std::move(tables)} {
  // nop
}

tables_store::~tables_store() {
  {
    const std::lock_guard held{mutex_};
    closing_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

result<void> tables_store::start_thread() {
  const signals_blocked meanwhile;
  try {
    thread_ = std::thread{[this] { work(); }};
  } catch (const std::system_error& none) {
    return fail(errc::limit_reached,
                std::string{"a state store needs a thread: "} + none.what(),
                "threads");
  }
  return {};
}

void tables_store::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty())
      return;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.bytes;
    lock.unlock();
    next.perform();
    next.perform = nullptr; // may be the last to hold something of the caller
    lock.lock();
  }
}

bool tables_store::try_push(call next) {
  const std::lock_guard held{mutex_};
  if (!waiting_.empty()
      && (waiting_.size() >= state_calls_max
          || waiting_bytes_ + next.bytes > state_waiting_bytes_max))
    return false;
  waiting_bytes_ += next.bytes;
  waiting_.push_back(std::move(next));
  wake_.notify_one();
  return true;
}

template <class T, class Work>
void tables_store::run(const result<void>& fit, std::size_t bytes, Work work,
                       when_state<T> then) {
  if (!fit)
    return then(fail(fit.error()));
  if (!thread_.joinable()) {
    std::unique_lock lock{mutex_};
    auto made = attempt<T>(*tables_, work);
    lock.unlock();
    return then(std::move(made));
  }
  if (!try_push({bytes, [this, work = std::move(work), then] {
                   then(attempt<T>(*tables_, work));
                 }}))
    then(fail(errc::limit_reached,
              "too many calls wait for the state store; try again later",
              "store_busy"));
}

void tables_store::get(std::string key,
                       when_state<std::optional<std::string>> then) {
  const auto fit = check_key(key);
  run<std::optional<std::string>>(
    fit, key.size(),
    [key = std::move(key)](state_tables& in) { return in.get(key); },
    std::move(then));
}

void tables_store::scan(state_scan which, when_state<state_page> then) {
  const auto fit = check_scan(which);
  run<state_page>(
    fit, which.prefix.size() + which.after.size(),
    [which = std::move(which)](state_tables& in) { return in.scan(which); },
    std::move(then));
}

void tables_store::events(state_event_query which,
                          when_state<state_event_page> then) {
  const auto fit = check_query(which);
  run<state_event_page>(
    fit, which.trace_id.size() + which.context_id.size(),
    [which = std::move(which)](state_tables& in) { return in.events(which); },
    std::move(then));
}

void tables_store::commit(state_transaction what, when_state<void> then) {
  const auto fit = check_transaction(what);
  run<void>(
    fit, bytes_of(what),
    [what = std::make_shared<const state_transaction>(std::move(what))](
      state_tables& in) { return in.commit(*what); },
    std::move(then));
}

void tables_store::with_name(std::string name, on_name work,
                             when_state<void> then) {
  const auto fit = check_id(name);
  run<void>(
    fit, name.size(),
    [name = std::move(name), work](state_tables& in) {
      return (in.*work)(name);
    },
    std::move(then));
}

void tables_store::take_snapshot(std::string name, when_state<void> then) {
  with_name(std::move(name), &state_tables::take_snapshot, std::move(then));
}

void tables_store::restore(std::string name, when_state<void> then) {
  with_name(std::move(name), &state_tables::restore, std::move(then));
}

void tables_store::drop_snapshot(std::string name, when_state<void> then) {
  with_name(std::move(name), &state_tables::drop_snapshot, std::move(then));
}

void tables_store::snapshots(when_state<std::vector<std::string>> then) {
  run<std::vector<std::string>>(
    {}, 0, [](state_tables& in) { return in.snapshots(); }, std::move(then));
}

void tables_store::visit(state_visitor visit, when_state<void> then) {
  run<void>(
    {}, 0,
    [visit = std::move(visit)](state_tables& in) { return in.visit(visit); },
    std::move(then));
}

void tables_store::fill(state_source next, when_state<void> then) {
  run<void>(
    {}, 0, [next = std::move(next)](state_tables& in) { return in.fill(next); },
    std::move(then));
}

} // namespace convene::host
