#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/runtime/client/client.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace convene::cli {

class terminal_people;

/// What a question is told apart by: several may be asked under one token.
using question_key = std::pair<std::string, std::string>;

[[nodiscard]] question_key key_of(const actors::turn_request& asked);

/// Asks a server's people at the terminal, by the prompts of `convene run
/// --interactive`, and brings their answers to the server. What is answered
/// elsewhere meanwhile, or is over, is withdrawn.
class inbox_desk {
public:
  inbox_desk(const client& server, question_wish whose, bool watches,
             const common_options& common, std::stop_source stop);
  ~inbox_desk();

  /// Until everything is answered, or with `watches` for ever; until the person
  /// leaves, the input ends or a stop is requested. Returns the exit code.
  [[nodiscard]] int run();

private:
  void say(std::string_view text);
  void show_list(const open_questions& found);
  /// Asks what is new, and withdraws what is not there any more.
  void take(const open_questions& found);
  void ask(const actors::turn_request& asked);
  void deliver(const question_key& which, const protocol::reply& what);
  [[nodiscard]] protocol::result<accepted_answer>
  send(const question_key& which, const protocol::reply& what);
  [[nodiscard]] bool is_idle();
  [[nodiscard]] bool is_over();
  void finish();
  /// False: it is time to stop.
  bool pause(std::chrono::milliseconds time, bool until_changed);
  /// Whether to try again; says so once for each outage.
  [[nodiscard]] bool goes_on_after(const protocol::error& why);

  const client& server_;
  question_wish whose_;
  const bool watches_;
  const common_options& common_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<question_key, std::shared_ptr<actors::live_turn>> open_; ///< guarded
  std::set<question_key> done_; ///< guarded: and possibly still listed
  bool is_changed_ = false;     ///< guarded
  bool is_asking_ = false;      ///< guarded: somebody, something
  bool has_left_ = false;       ///< guarded
  bool has_failed_ = false;     ///< guarded: an answer
  bool was_reached_ = false;
  std::chrono::steady_clock::time_point reached_;
  bool is_away_ = false; ///< the server
  std::mutex output_;
  std::unique_ptr<terminal_people> people_; ///< its thread calls the above
};

} // namespace convene::cli
