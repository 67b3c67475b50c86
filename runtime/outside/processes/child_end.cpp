// How a program ended, for those who asked it.

#include <convene/runtime/outside/processes/child.hpp>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace convene::host {

using protocol::action_status;

program_end child::make_end() {
  program_end made;
  if (reason_)
    made = *reason_;
  made.last_errors = take_last_errors();
  if (status_) {
    if (WIFEXITED(*status_))
      made.exit_code = WEXITSTATUS(*status_);
    else if (WIFSIGNALED(*status_))
      made.signal = WTERMSIG(*status_);
  }
  if (!reason_)
    describe_status(made);
  return made;
}

void child::describe_status(program_end& into) const {
  if (into.exit_code == 0)
    return;
  into.status = action_status::failed;
  if (into.exit_code > 0) {
    into.code = "exit_code";
    into.message = name_of(what_) + " exited with code "
                   + std::to_string(into.exit_code);
  } else if (into.signal == SIGXCPU) {
    into.code = "cpu_seconds";
    into.message = name_of(what_) + " used more than "
                   + std::to_string(what_.limits.cpu_seconds)
                   + " seconds of CPU time";
  } else if (into.signal != 0) {
    into.code = "signal";
    into.message = name_of(what_) + " was ended by signal "
                   + std::to_string(into.signal);
    if (const char* name = sigabbrev_np(into.signal))
      into.message += std::string{" (SIG"} + name + ')';
  } else {
    into.code = "supervisor_lost";
    into.message = "the supervisor of " + name_of(what_)
                   + " was killed; how the program ended is not known";
  }
  auto last = into.last_errors;
  while (!last.empty() && (last.back() == '\n' || last.back() == '\r'))
    last.pop_back();
  if (!last.empty())
    into.message += "; the end of its standard error: " + last;
}

} // namespace convene::host
