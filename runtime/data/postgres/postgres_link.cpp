#include <convene/runtime/data/postgres/postgres_link.hpp>

#include <algorithm>
#include <random>
#include <thread>

namespace convene::host {

using namespace protocol;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

/// Ids of transactions mean the same on a server that has the same one: another
/// cluster has another number, and a standby that takes over another timeline.
constexpr auto history_query
  = "SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' "
    "|| CASE WHEN pg_is_in_recovery() THEN '' ELSE "
    "left(pg_walfile_name(pg_current_wal_lsn()), 8) END";

/// Up to twice the time, so that two that disturbed each other do not again.
void wait_about(std::chrono::milliseconds least) {
  static thread_local std::minstd_rand dice{std::random_device{}()};
  std::uniform_int_distribution<std::int64_t> more{0, least.count()};
  std::this_thread::sleep_for(least + std::chrono::milliseconds{more(dice)});
}

} // namespace

result<postgres_link> postgres_link::open(postgres_link_options how) {
  postgres_link made{std::move(how)};
  return made.connect().map([&] { return std::move(made); });
}

result<void> postgres_link::connect() {
  auto opened = postgres_connection::open(how_.connection);
  if (!opened)
    return fail(std::move(opened).error());
  const auto history = opened->query(history_query);
  if (!history)
    return fail(history.error());
  if (how_.set_up)
    if (auto done = how_.set_up(*opened); !done)
      return done;
  history_ = history->text(0, 0);
  connection_ = *std::move(opened);
  return {};
}

result<postgres_connection*> postgres_link::ready() {
  if (connection_ && connection_->is_open())
    return &*connection_;
  if (failed_ && steady_clock::now() < next_attempt_)
    return fail(*failed_);
  const auto until = steady_clock::now() + how_.reconnect_longest;
  for (auto between = 25ms;;
       between = std::min<std::chrono::milliseconds>(between * 2, 1'000ms)) {
    auto done = connect();
    if (done) {
      failed_.reset();
      return &*connection_;
    }
    const bool again = done.error().rule == postgres_rule::unreachable
                       || is_lost(done.error());
    if (!again || failed_ || steady_clock::now() >= until) {
      failed_ = done.error();
      next_attempt_ = steady_clock::now() + 1s;
      return fail(std::move(done).error());
    }
    wait_about(between);
  }
}

std::optional<bool> postgres_link::outcome(const std::string& id,
                                           const std::string& history) {
  // Its process on the server may not know yet that the connection is gone.
  for (auto between = 25ms; between < 5s; between *= 2) {
    const auto status = read([&](postgres_connection& in) {
      return in.query("SELECT coalesce(pg_xact_status($1::xid8), '')", {id});
    });
    if (!status || history_ != history)
      return {};
    const auto word = status->text(0, 0);
    if (word == "committed")
      return true;
    if (word == "aborted")
      return false;
    if (word.empty())
      return {};
    wait_about(between);
  }
  return {};
}

result<void> postgres_link::write(const transaction& body, bool may_repeat) {
  for (int attempt = 1;; ++attempt) {
    auto to = ready();
    if (!to)
      return fail(std::move(to).error());
    auto& in = **to;
    std::string id; // known when the body begins
    const auto history = history_;
    auto done = in.in_transaction(
      "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()",
      [&](const postgres_rows& begun) {
        id = begun.text(0, 0);
        return body(in);
      });
    if (done)
      return done;
    auto why = std::move(done).error();
    if (why.rule == postgres_rule::unknown) {
      const auto known = outcome(id, history);
      if (known == true)
        return {};
      if (!known)
        return fail(std::move(why));
      why.rule = postgres_rule::lost; // it was undone
    }
    const bool disturbed = why.rule == postgres_rule::conflict;
    if (attempt >= attempts_max || (!may_repeat && !id.empty())
        || (!disturbed && !is_lost(why)))
      return fail(std::move(why));
    if (disturbed)
      wait_about(attempt * 5ms);
  }
}

} // namespace convene::host
