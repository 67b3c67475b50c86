#include <convene/server/mcp/session_wait.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace convene::server {
namespace {

using clock = session_catalog::clock;

/// After a wait is over, its callbacks may be left out.
constexpr std::chrono::seconds slack{1};

/// Rung by others, on any thread.
class bell {
public:
  void ring(bool is_question = false) {
    const std::lock_guard held{mutex_};
    is_rung_ = true;
    is_asked_ = is_asked_ || is_question;
    changed_.notify_all();
  }

  /// Waits for the next ring. False: the time is over, or a stop was asked for.
  [[nodiscard]] bool wait(clock::time_point until,
                          const std::stop_token& stop) {
    std::unique_lock held{mutex_};
    const bool rung = changed_.wait_until(held, stop, until,
                                          [this] { return is_rung_; });
    is_rung_ = false;
    return rung;
  }

  /// Whether a question has rung since this was asked last.
  [[nodiscard]] bool take_question() {
    const std::lock_guard held{mutex_};
    return std::exchange(is_asked_, false);
  }

private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_rung_ = false;
  bool is_asked_ = false;
};

} // namespace

void wait_for_events(session_host& host, const std::string& session_id,
                     std::uint64_t after, std::chrono::milliseconds time,
                     const std::stop_token& stop) {
  auto& sessions = host.events()->sessions();
  const auto row = sessions.find(session_id);
  if (!row || row->ended || row->events > after)
    return;
  const auto until = clock::now() + time;
  const auto rung = std::make_shared<bell>();
  const auto number = sessions.when_more(
    session_id, after, [rung] { rung->ring(); }, until + slack);
  if (number == 0)
    return;
  static_cast<void>(rung->wait(until, stop));
  sessions.forget(session_id, number);
}

void wait_for_change(session_host& host, const std::string& session_id,
                     std::chrono::milliseconds time,
                     const std::stop_token& stop) {
  auto& sessions = host.events()->sessions();
  const question_filter whose{.session_id = session_id, .participant = {}};
  const auto until = clock::now() + time;
  const auto rung = std::make_shared<bell>();
  bool listens = false; // for a question
  for (;;) {
    const auto row = sessions.find(session_id);
    if (!row || row->ended || sessions.is_closed_for(session_id)
        || !host.questions()->open(whose, 1).open.empty())
      return;
    const auto number = sessions.when_more(
      session_id, row->events, [rung] { rung->ring(); }, until + slack);
    if (number == 0 && clock::now() < until && !stop.stop_requested())
      continue;
    if (number == 0)
      return;
    if (rung->take_question())
      listens = false;
    if (!listens)
      listens = host.questions()->when_asked(
        whose, [rung] { rung->ring(true); }, until + slack);
    const bool is_rung = listens && rung->wait(until, stop);
    sessions.forget(session_id, number);
    if (!is_rung)
      return;
  }
}

} // namespace convene::server
