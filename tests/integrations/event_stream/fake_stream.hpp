#pragma once

#include <convene/integrations/event_stream/stream_link.hpp>
#include <convene/integrations/event_stream/stream_source.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convene::tests {

/// A server that syncs what it has acknowledged a while later, and what its
/// clients see of it. Thread-safe.
class fake_server {
public:
  using clock = std::chrono::steady_clock;

  explicit fake_server(std::chrono::milliseconds sync) : sync_{sync} {}

  /// It loses what it has not synced, and starts again.
  void kill() {
    const std::lock_guard held{mutex_};
    const auto now = clock::now();
    std::erase_if(kept_,
                  [&](const auto& one) { return now - one.second < sync_; });
    ++run_;
    ++connection_;
  }
  /// Connections end, and nothing is lost.
  void cut() {
    const std::lock_guard held{mutex_};
    ++connection_;
  }
  void set_away(bool is_away) {
    const std::lock_guard held{mutex_};
    is_away_ = is_away;
    connection_ += is_away ? 1 : 0;
  }
  void set_mute(bool is_mute) {
    const std::lock_guard held{mutex_};
    is_mute_ = is_mute;
  }
  void set_full(bool is_full) {
    const std::lock_guard held{mutex_};
    is_full_ = is_full;
  }

  [[nodiscard]] std::set<std::string> ids() const {
    const std::lock_guard held{mutex_};
    std::set<std::string> all;
    for (const auto& [id, at] : kept_)
      all.insert(id);
    return all;
  }

  struct answered {
    bool is_there = false;
    bool is_mute = false;
    host::stream_answer answer;
  };
  answered put(int connection, const host::stream_message& what) {
    const std::lock_guard held{mutex_};
    answered made{.is_there = connection == connection_ && !is_away_,
                  .is_mute = is_mute_};
    made.answer = {.session_id = what.session_id, .place = what.place};
    if (!made.is_there || is_mute_)
      return made;
    if (is_full_)
      made.answer.refused = "full";
    else
      made.answer.is_duplicate
        = !kept_.try_emplace(what.id, clock::now()).second;
    return made;
  }
  /// The connection and the run; none: it is away.
  std::pair<int, int> connect() const {
    const std::lock_guard held{mutex_};
    return is_away_ ? std::pair{-1, 0} : std::pair{connection_, run_};
  }

private:
  const std::chrono::milliseconds sync_;
  mutable std::mutex mutex_;
  std::map<std::string, clock::time_point> kept_;
  int run_ = 1;
  int connection_ = 0;
  bool is_away_ = false;
  bool is_mute_ = false;
  bool is_full_ = false;
};

class fake_link final : public host::stream_link {
public:
  explicit fake_link(fake_server& to) : to_{to} {}

  protocol::result<host::stream_facts> connect() override {
    const auto [connection, run] = to_.connect();
    if (connection < 0)
      return lost();
    connection_ = connection;
    return host::stream_facts{.server = "run " + std::to_string(run),
                              .stream = "events@1",
                              .body_bytes_max = 1U << 20};
  }
  protocol::result<void> send(const host::stream_message& what) override {
    const auto put = to_.put(connection_, what);
    if (!put.is_there)
      return lost();
    if (!put.is_mute)
      answers_.push_back(put.answer);
    return {};
  }
  protocol::result<std::vector<host::stream_answer>> answers() override {
    if (to_.connect().first != connection_)
      return lost();
    return std::exchange(answers_, {});
  }
  void close() override {
    answers_.clear();
  }

private:
  static tl::unexpected<protocol::error> lost() {
    return protocol::fail(protocol::errc::io_failed, "it is away");
  }

  fake_server& to_;
  int connection_ = -1;
  std::vector<host::stream_answer> answers_;
};

/// Logs of sessions, and cursors, which outlive publishers. Thread-safe.
struct fake_logs {
  mutable std::mutex mutex;
  std::map<std::string, std::vector<std::string>> lines;
  std::map<std::string, host::stream_cursor> cursors;
  std::set<std::string> mine; ///< sessions that the node is to publish
  bool is_away = false;

  std::uint64_t append(const std::string& id, std::string event_id) {
    const std::lock_guard held{mutex};
    auto& log = lines[id];
    log.push_back(R"({"event_id":")" + std::move(event_id)
                  + R"(","event_type":"T","session_id":")" + id + "\"}");
    return log.size();
  }
  host::stream_cursor cursor(const std::string& id) const {
    const std::lock_guard held{mutex};
    const auto at = cursors.find(id);
    return at == cursors.end() ? host::stream_cursor{} : at->second;
  }
};

class fake_source final : public host::stream_source {
public:
  explicit fake_source(fake_logs& in) : in_{in} {}

  protocol::result<std::string> members() override {
    return "a";
  }
  protocol::result<std::vector<host::stream_cursor>>
  cursors(const std::string&, const std::vector<std::string>& ids) override {
    const std::lock_guard held{in_.mutex};
    if (in_.is_away)
      return away();
    std::vector<host::stream_cursor> found;
    for (const auto& id : ids)
      found.push_back(of(id));
    return found;
  }
  protocol::result<std::vector<host::stream_cursor>>
  unfinished(const std::string&, const std::string& after,
             std::size_t most) override {
    const std::lock_guard held{in_.mutex};
    if (in_.is_away)
      return away();
    std::vector<host::stream_cursor> found;
    for (const auto& id : in_.mine)
      if (id > after && found.size() < most)
        found.push_back(of(id));
    return found;
  }
  protocol::result<std::vector<host::stream_line>>
  read(std::span<const host::stream_range> which) override {
    const std::lock_guard held{in_.mutex};
    if (in_.is_away)
      return away();
    std::vector<host::stream_line> found;
    for (const auto& each : which)
      for (auto place = each.first;
           place <= each.last && place <= in_.lines[each.session_id].size();
           ++place)
        found.push_back(
          {each.session_id, place, in_.lines[each.session_id][place - 1]});
    return found;
  }
  protocol::result<void>
  save(const std::string&,
       std::span<const host::stream_cursor> which) override {
    const std::lock_guard held{in_.mutex};
    if (in_.is_away)
      return away();
    for (const auto& each : which)
      in_.cursors[each.session_id] = each;
    return {};
  }

private:
  static tl::unexpected<protocol::error> away() {
    return protocol::fail(protocol::errc::io_failed, "the log is away");
  }
  host::stream_cursor of(const std::string& id) {
    auto made = in_.cursors[id];
    made.session_id = id;
    made.length = in_.lines[id].size();
    return made;
  }

  fake_logs& in_;
};

} // namespace convene::tests
