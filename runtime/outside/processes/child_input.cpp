#include <convene/runtime/outside/processes/child_input.hpp>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

namespace convene::host {
namespace {

/// Writes without a SIGPIPE, whatever the application does with that signal.
ssize_t write_quietly(int to, std::string_view bytes) {
  sigset_t broken_pipe;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const auto count = write(to, bytes.data(), bytes.size());
  const int why = errno;
  constexpr timespec at_once{};
  if (count < 0 && why == EPIPE)
    sigtimedwait(&broken_pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return count;
}

} // namespace

std::size_t child_input::write_some(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && !is_broken_) {
    const auto count = write_quietly(file_.get(), bytes.substr(done));
    if (count >= 0)
      done += static_cast<std::size_t>(count);
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR)
      is_broken_ = is_complete_ = true; // which is the program's own business
  }
  return done;
}

bool child_input::write(std::string_view bytes) {
  const std::lock_guard held{mutex_};
  if (is_complete_)
    return false;
  if (!file_ || !waiting_.empty()) {
    if (written_ > 0 && written_ >= waiting_.size() / 2) {
      waiting_.erase(0, written_);
      written_ = 0;
    }
    waiting_ += bytes;
    return false; // who let the first bytes wait calls `flush`
  }
  bytes.remove_prefix(write_some(bytes));
  if (!is_broken_)
    waiting_ = bytes;
  return is_broken_ || !waiting_.empty();
}

std::size_t child_input::unwritten() const {
  const std::lock_guard held{mutex_};
  return waiting_.size() - written_;
}

void child_input::open(descriptor file) {
  const std::lock_guard held{mutex_};
  file_ = std::move(file);
}

void child_input::finish() {
  const std::lock_guard held{mutex_};
  is_complete_ = true;
}

child_input::state child_input::flush() {
  const std::lock_guard held{mutex_};
  if (!file_)
    return state::quiet;
  written_ += write_some(std::string_view{waiting_}.substr(written_));
  if (!is_broken_ && written_ < waiting_.size())
    return state::blocked;
  waiting_.clear();
  written_ = 0;
  return is_complete_ ? state::complete : state::quiet;
}

int child_input::file() const {
  const std::lock_guard held{mutex_};
  return file_.get();
}

void child_input::close() {
  const std::lock_guard held{mutex_};
  is_complete_ = true;
  file_.reset();
  waiting_ = {};
  written_ = 0;
}

} // namespace convene::host
