#pragma once

#include <convene/protocol/base/text_backlog.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// The text that participants of a run produce while a client listens.
/// Thread-safe.
class chunk_listener {
public:
  void add(std::string_view node_id, std::string_view participant,
           std::string_view text);

  /// The pieces since the last call; their place is a node.
  [[nodiscard]] std::vector<protocol::text_piece> take();

  /// Calls `then` once, on any thread, as soon as there is something; at once
  /// if there is. It must not block. Replaces an earlier call.
  void when_more(std::function<void()> then);

private:
  std::mutex mutex_;
  protocol::text_backlog waiting_text_{
    ///< guarded by mutex, like the rest
    protocol::text_backlog::pieces::separate};
  std::function<void()> waiting_;
};

/// Those who listen to one run. Thread-safe.
class run_listeners {
public:
  [[nodiscard]] std::shared_ptr<chunk_listener> listen();
  void add(std::string_view node_id, std::string_view participant,
           std::string_view text);

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<chunk_listener>> all_;
};

/// Passes what is said in sessions to those who listen to the runs whose nodes
/// run them. Nothing is kept for who comes later. Thread-safe.
class session_texts {
public:
  /// A node of a run has a session.
  void begin(const std::string& session_id, std::weak_ptr<run_listeners> to,
             std::string node_id);
  void end(const std::string& session_id);

  /// A participant says something; what no run waits for is passed over.
  void say(std::string_view session_id, std::string_view participant,
           std::string_view text);

private:
  struct place {
    std::weak_ptr<run_listeners> to;
    std::string node_id;
  };

  std::mutex mutex_;
  std::map<std::string, place, std::less<>> all_;
};

} // namespace convene::server
