#pragma once

#include <convene/cli/people/line_editor.hpp>
#include <convene/cli/people/question_text.hpp>
#include <convene/cli/people/terminal_form.hpp>
#include <convene/cli/people/typed_lines.hpp>
#include <convene/runtime/outside/participants/people.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace convene::cli {

/// Asks people at one terminal, one question at a time, in the order in which
/// they come; each is asked by name. Reads lines of `input` while a question is
/// open, so that answers can be piped in. A terminal delivers each key that
/// long, so that a line can be as long as an answer may be; what was typed
/// before a question was shown is discarded. A question that ends before it was
/// answered is withdrawn together with the unfinished line, and the reason is
/// printed.
class terminal_people final : public host::people {
public:
  /// Writes by `say`, on a thread of its own, which begins with the first
  /// question. `quit` is called when a person leaves, or the input ends with a
  /// question open; it must not block. `asking` is told when a question begins
  /// and when it is over; may be empty. `named`: questions say of which session
  /// they are.
  terminal_people(int input, std::function<void(std::string_view)> say,
                  std::function<void()> quit,
                  std::function<void(bool)> asking = {},
                  session_named named = session_named::no);
  ~terminal_people() override;

  /// From then on the end of what is piped in is seen without a question, too,
  /// and `quit` is called once no line is left. Not for /dev/null.
  void end_with_input();

  void ask(actors::turn_request asked) override;

  /// Puts another kind of question. What is returned withdraws it, on any
  /// thread, also after this object's end.
  std::function<void()> ask(terminal_form form);

private:
  /// A question, and whether it is over.
  struct question {
    terminal_form form;
    bool over = false; ///< guarded by the shared mutex
  };

  /// Shared with the callbacks of turns, which may outlive this object.
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    int wake = -1; ///< an eventfd, written when a question is over
    bool stopping = false;

    ~shared();
    void signal();
  };

  enum class said : std::uint8_t { line, too_long, over, end };

  void run();
  [[nodiscard]] std::shared_ptr<question> next();
  [[nodiscard]] bool wait_idle(std::unique_lock<std::mutex>& held);
  void put(question& what);
  [[nodiscard]] said read_line(const question& what, std::string& line,
                               auto& lines);
  void read_into(auto& lines);

  int input_;
  std::function<void(std::string_view)> say_;
  std::function<void()> quit_;
  std::function<void(bool)> asking_;
  session_named named_;
  std::shared_ptr<shared> shared_;
  std::deque<std::shared_ptr<question>> waiting_; ///< guarded, like `shared`
  bool ends_with_input_ = false;                  ///< guarded, too
  const bool is_terminal_;
  typed_lines piped_;  ///< the thread's own, like the next
  line_editor editor_; ///< of what is typed at a terminal
  std::thread thread_;
};

} // namespace convene::cli
