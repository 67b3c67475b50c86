#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <support/postgres/postgres_server.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace convene::tests {
namespace {

namespace fs = std::filesystem;

/// The folder of the newest version's programs; empty: there is none.
fs::path programs() {
  static const auto found = [] {
    std::vector<fs::path> all;
    std::error_code none;
    for (const auto& each : fs::directory_iterator{"/usr/lib/postgresql", none})
      if (fs::exists(each.path() / "bin/initdb")
          && fs::exists(each.path() / "bin/postgres"))
        all.push_back(each.path() / "bin");
    return all.empty() ? fs::path{} : *std::ranges::max_element(all);
  }();
  return found;
}

/// The user to run as: PostgreSQL refuses root.
const passwd* other_user() {
  if (::geteuid() != 0)
    return nullptr;
  const auto* const found = ::getpwnam("postgres");
  return found == nullptr ? ::getpwnam("nobody") : found;
}

/// Starts a program, which a kill of this one ends.
pid_t start_program(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> arguments;
  for (auto& each : words)
    arguments.push_back(each.data());
  arguments.push_back(nullptr);
  const auto* const user = other_user();
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child != 0)
    return child;
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  if (user != nullptr
      && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() == parent)
    ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

[[noreturn]] void fail_with(const fs::path& log) {
  throw std::runtime_error{"PostgreSQL does not start: " + text_of(log)};
}

void execute(const std::string& url, const std::string& sql) {
  auto opened = host::postgres_connection::open({.url = url});
  if (!opened)
    throw std::runtime_error{to_string(opened.error())};
  if (const auto done = opened->run(sql); !done)
    throw std::runtime_error{to_string(done.error())};
}

std::vector<std::string>& given_back() {
  static std::vector<std::string> all;
  return all;
}

} // namespace

bool postgres_server::is_installed() {
  if (!programs().empty())
    return true;
  if (std::getenv("CONVENE_POSTGRES") != nullptr)
    throw std::runtime_error{"PostgreSQL is not installed"};
  static const bool once = [] {
    std::cerr << "PostgreSQL is not installed: not tested\n";
    return false;
  }();
  return once;
}

postgres_server& postgres_server::shared() {
  static postgres_server only;
  return only;
}

postgres_server::postgres_server() {
  // A socket's path has at most 107 bytes.
  std::string made = "/tmp/convene-pg-XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    throw std::runtime_error{"no folder for PostgreSQL"};
  folder_ = made;
  if (const auto* const user = other_user();
      user != nullptr
      && ::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error{"no folder for PostgreSQL"};
  const auto log = folder_ / "log";
  const auto child = start_program(
    {(programs() / "initdb").string(), "--pgdata=" + made + "/data",
     "--username=convene", "--auth=trust", "--encoding=UTF8", "--locale=C",
     "--no-sync", "--no-instructions"},
    log);
  int state = 0;
  if (child < 0 || ::waitpid(child, &state, 0) != child || state != 0)
    fail_with(log);
  start();
}

postgres_server::~postgres_server() {
  kill();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void postgres_server::start() {
  const auto data = (folder_ / "data").string();
  const auto log = folder_ / "log";
  const auto mark = fs::path{data} / "postmaster.pid";
  std::error_code ignored;
  fs::remove(mark, ignored);
  pid_ = start_program({(programs() / "postgres").string(), "-D", data, "-k",
                        folder_.string(), "-c", "listen_addresses=", "-c",
                        "fsync=off", "-c", "full_page_writes=off", "-c",
                        "shared_buffers=16MB", "-c", "max_wal_size=256MB", "-c",
                        "autovacuum=off", "-c", "restart_after_crash=on"},
                       log);
  // Its last line, as pg_ctl reads it. Ends with the server or when it is
  // ready.
  while (text_of(mark).find("\nready") == std::string::npos) {
    if (pid_ < 0 || ::waitpid(pid_, nullptr, WNOHANG) != 0)
      fail_with(log);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

void postgres_server::kill() {
  if (pid_ <= 0)
    return;
  ::kill(pid_, SIGQUIT); // its backends with it, without a checkpoint
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string postgres_server::url(const std::string& database) const {
  return "postgres:///" + database + "?host=" + folder_.string()
         + "&user=convene";
}

std::string postgres_server::fresh_database() {
  if (auto& free = given_back(); !free.empty()) {
    const auto again = std::move(free.back());
    free.pop_back();
    execute(again, "DROP SCHEMA IF EXISTS convene CASCADE");
    return again;
  }
  static int number = 0;
  const auto name = "test_" + std::to_string(++number);
  execute(url(), "CREATE DATABASE " + name);
  return url(name);
}

void postgres_server::give_back(const std::string& url) {
  given_back().push_back(url);
}

} // namespace convene::tests
