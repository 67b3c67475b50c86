// What a turn with a program as participant costs: a request of a program that
// stays, answered line by line, against a bare round trip of the same bytes
// through two pipes. Round trips per second, interleaved, medians.
//
// usage: workers [ROUNDS [REQUESTS]]

#include "baseline/figures.hpp"

#include <convene/runtime/outside/participants/process.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

namespace host = convene::host;
namespace actors = convene::actors;

constexpr const char* reply = "{\"content\": \"done\"}\n";

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "workers: %s\n", why);
  std::exit(1);
}

std::string read_line(int from) {
  std::string line;
  char buffer[4096];
  while (line.empty() || line.back() != '\n') {
    const auto got = read(from, buffer, sizeof buffer);
    if (got <= 0)
      return {};
    line.append(buffer, static_cast<std::size_t>(got));
  }
  return line;
}

void write_all(int to, std::string_view text) {
  if (write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    stop("a write was cut short");
}

/// The worker itself, both as a program and in the bare round trip.
void answer_lines() {
  while (!read_line(0).empty())
    write_all(1, reply);
}

actors::turn_request a_request() {
  actors::turn_request asked;
  asked.session_id = "5f2d3c1e-0000-4000-8000-000000000000";
  asked.title = "Review of the login fix";
  asked.purpose = "Find what the change breaks";
  asked.participant = "tests";
  asked.task = "run the tests";
  asked.turn = 1;
  asked.token = "5f2d3c1e-0000-4000-8000-000000000001";
  return asked;
}

template <class Work>
double rate(int count, Work work) {
  return count / convene::bench::seconds([&] {
           for (int i = 0; i < count; ++i)
             work();
         });
}

/// A child that answers lines, without anything of ours between.
class bare {
public:
  bare() {
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
      stop("no pipe");
    if (fork() == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      close(to[1]);
      close(from[0]);
      answer_lines();
      _exit(0);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }

  void ask(const std::string& line) const {
    write_all(to_, line);
    if (read_line(from_) != reply)
      stop("the bare child did not answer");
  }

private:
  int to_ = -1;
  int from_ = -1;
};

/// The same child as a participant.
class worker {
public:
  explicit worker(std::string self) {
    host::process_settings how;
    how.command = {"workers", "--answer"};
    how.mode = host::process_mode::lines;
    who_ = std::make_unique<host::process_behaviour>(
      "tests", how, host::program_for(how, std::move(self), {}, "/"), all_);
  }

  void ask() {
    auto asked = a_request();
    asked.live = std::make_shared<actors::live_turn>(
      [this](const convene::protocol::reply& what) {
        if (what.content != "done")
          stop(what.error.message.c_str());
        {
          const std::lock_guard held{mutex_};
          answered_ = true;
        }
        wake_.notify_one(); // whom it wakes does not wait for the lock
      });
    who_->begin(std::move(asked));
    std::unique_lock held{mutex_};
    wake_.wait(held, [this] { return answered_; });
    answered_ = false;
  }

private:
  std::shared_ptr<host::processes> all_ = std::make_shared<host::processes>();
  std::unique_ptr<host::process_behaviour> who_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool answered_ = false;
};

} // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view{arguments[1]} == "--answer") {
    answer_lines();
    return 0;
  }
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 11;
  const int requests = count > 2 ? std::atoi(arguments[2]) : 5000;
  char self[4096];
  const auto size = readlink("/proc/self/exe", self, sizeof self);
  if (size <= 0)
    stop("/proc/self/exe cannot be read");
  const bare pipes;
  worker turns{std::string{self, static_cast<std::size_t>(size)}};
  const auto line = host::request_json(a_request()) + '\n';
  std::vector<double> bare_rates;
  std::vector<double> rates;
  for (int i = 0; i < rounds; ++i) {
    bare_rates.push_back(rate(requests, [&] { pipes.ask(line); }));
    rates.push_back(rate(requests, [&] { turns.ask(); }));
  }
  std::printf("bare round trips of %zu bytes  %.0f/s\n", line.size(),
              convene::bench::median(bare_rates));
  std::printf("turns of a program's worker     %.0f/s\n",
              convene::bench::median(rates));
  std::printf("times slower                    %.2f\n",
              convene::bench::ratio(bare_rates, rates));
}
