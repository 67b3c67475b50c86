#pragma once

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <runtime/log/event_log/files.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace convene::tests {

inline const std::string examples_folder = CONVENE_SOURCE_DIR "/examples/";

/// The settings of the person who runs the tests are not read.
inline const int without_settings = ::setenv("XDG_CONFIG_HOME", "/nonexistent",
                                             1);

/// What a run of the program left.
struct finished {
  int code = -1; ///< exit code; 128 and more: ended by that signal
  std::string out;
  std::string err;
};

/// The program, running in a folder of its own.
class program {
public:
  /// `command` is what the arguments are for, if not the program itself.
  explicit program(const std::vector<std::string>& arguments,
                   const std::string& out = {},
                   std::vector<std::string> command = {CONVENE_PROGRAM})
    : out_(out.empty() ? (files_ / "out").string() : out) {
    auto& all = command;
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& one : all)
      argv.push_back(one.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int flags = O_WRONLY | O_CREAT;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, (files_ / "err").c_str(),
                                     flags, 0600);
    REQUIRE(::posix_spawn(&pid_, argv.front(), &actions, nullptr, argv.data(),
                          environ)
            == 0);
    posix_spawn_file_actions_destroy(&actions);
  }

  program(const program&) = delete;
  program& operator=(const program&) = delete;

  /// Leaves nothing running behind a test that failed.
  ~program() {
    if (!waited_ && ::kill(pid_, SIGKILL) == 0)
      ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info,
             WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
  }

  void signal(int number) const {
    ::kill(pid_, number);
  }

  /// What it has written so far, if that went to a file.
  [[nodiscard]] std::string output() const {
    return std::filesystem::is_regular_file(out_) ? read_bytes(out_) : "";
  }

  [[nodiscard]] finished wait() {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    waited_ = true;
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status)
                                      : 128 + WTERMSIG(status),
            .out = output(),
            .err = read_bytes(files_ / "err")};
  }

private:
  scratch_folder files_;
  std::string out_;
  pid_t pid_ = -1;
  bool waited_ = false;
};

/// Runs the program to its end.
inline finished run(const std::vector<std::string>& arguments) {
  return program{arguments}.wait();
}

/// The same with the names of broken rules in messages.
inline finished run_verbosely(std::vector<std::string> arguments) {
  arguments.emplace_back("--verbose");
  return run(arguments);
}

/// Runs a line of bash in which "$0" is the program and "$@" the arguments.
inline finished run_shell(const std::string& line,
                          const std::vector<std::string>& arguments) {
  return program{arguments, {}, {"/bin/bash", "-c", line, CONVENE_PROGRAM}}
    .wait();
}

} // namespace convene::tests
