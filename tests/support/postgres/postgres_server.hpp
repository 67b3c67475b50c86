#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace convene::tests {

/// A PostgreSQL server of this program's own, in a temporary folder and behind
/// a Unix socket, without syncing. It ends with the program, also by a kill.
/// Needs Debian's package postgresql. As root it runs as another user.
class postgres_server {
public:
  /// Whether the machine has PostgreSQL's programs. If not, tests of it have to
  /// be left out; with CONVENE_POSTGRES=1 in the environment, that is a
  /// failure.
  [[nodiscard]] static bool is_installed();

  /// The server that all tests of a program share; started by the first call.
  [[nodiscard]] static postgres_server& shared();

  /// Throws std::runtime_error if it does not start.
  postgres_server();
  ~postgres_server();
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  /// Of a database, "postgres" is always there; its user may do everything.
  [[nodiscard]] std::string url(const std::string& database = "postgres") const;

  /// The URL of a database without any table, which no other test uses.
  /// Databases are used again when `give_back` has got their URL.
  [[nodiscard]] std::string fresh_database();
  void give_back(const std::string& url);

  [[nodiscard]] std::filesystem::path socket() const {
    return folder_ / ".s.PGSQL.5432";
  }

  /// As after a crash of the server's machine.
  void kill();
  /// By a thread that lasts: the server ends with it.
  void start();
  [[nodiscard]] pid_t pid() const noexcept {
    return pid_;
  }

private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

/// An empty database of the tests' server.
class scratch_database {
public:
  scratch_database() : url_{postgres_server::shared().fresh_database()} {
    // nop
  }
  scratch_database(const scratch_database&) = delete;
  scratch_database& operator=(const scratch_database&) = delete;
  ~scratch_database() {
    postgres_server::shared().give_back(url_);
  }
  [[nodiscard]] const std::string& url() const {
    return url_;
  }

private:
  std::string url_;
};

} // namespace convene::tests
