#pragma once

#include <convene/cli/commands/inbox/inbox_arguments.hpp>
#include <convene/cli/commands/inbox/interrupt_form.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {

class terminal_people;

/// What a question is told apart by: several may be asked under one token.
using question_key = std::pair<std::string, std::string>;

[[nodiscard]] question_key key_of(const actors::turn_request& asked);
[[nodiscard]] question_key key_of(const run_interrupt& asked);

/// Asks what people are asked in a server's sessions and runs at the terminal,
/// by the prompts of `convene run
/// --interactive`, and brings their answers to the server. What is answered
/// elsewhere meanwhile, or is over, is withdrawn.
class inbox_desk {
public:
  inbox_desk(const client& server, inbox_wish whose, bool watches,
             const common_options& common, std::stop_source stop);
  ~inbox_desk();

  /// Until everything is answered, or with `watches` for ever; until the person
  /// leaves, the input ends or a stop is requested. Returns the exit code.
  [[nodiscard]] int run();

private:
  void say(std::string_view text);
  void show_list(const inbox_found& found);
  /// Asks what is new, and withdraws what is not there any more.
  void take(const inbox_found& found);
  template <class Question>
  void
  take_each(const std::vector<Question>& all, std::set<question_key>& listed);
  void ask(const actors::turn_request& asked);
  void ask(const run_interrupt& asked);
  [[nodiscard]] delivered resolve(const run_interrupt& asked,
                                  const boost::json::value& what);
  void settle(const question_key& which, bool is_over, bool has_failed);
  void deliver(const question_key& which, const protocol::reply& what);
  /// Calls again while the server is away.
  template <class Call>
  [[nodiscard]] auto send(Call call);
  [[nodiscard]] bool is_idle();
  [[nodiscard]] bool is_over();
  void finish();
  /// False: it is time to stop.
  bool pause(std::chrono::milliseconds time, bool until_changed);
  /// Whether to try again; says so once for each outage.
  [[nodiscard]] bool goes_on_after(const protocol::error& why);

  const client& server_;
  inbox_wish whose_;
  const bool watches_;
  const common_options& common_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  /// Guarded: what withdraws each.
  std::map<question_key, std::function<void()>> open_;
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
