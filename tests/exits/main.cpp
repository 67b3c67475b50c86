// A program that ends while a runtime still exists: tests/exits/run starts it
// for each combination of an owner, a load and a way to end.
//
//     exits_under_test OWNER LOAD END [LOG-FOLDER]

#include <convene/runtime/runtime.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

std::vector<std::string> arguments;
/// Never destroyed: a runtime that outlives `main` may still add to it.
auto& pending = *new std::vector<std::shared_ptr<convene::responder>>;
std::mutex pending_mutex;

/// What owns the runtime, before main begins.
std::unique_ptr<convene::runtime> global_pointer;

struct application {
  application() = default;
  std::map<std::string, std::shared_ptr<convene::runtime>> runtimes;
};

application& the_application() {
  static application one;
  return one;
}

/// Has its runtime while the program has not begun.
struct early_owner {
  early_owner() {
    if (std::getenv("EARLY_OWNER") != nullptr)
      owned = std::make_unique<convene::runtime>();
  }
  std::unique_ptr<convene::runtime> owned;
} early;

convene::runtime_options options() {
  convene::runtime_options how{.threads = 2};
  if (arguments.size() > 3)
    how.log = arguments[3];
  if (arguments[1] == "virtual")
    how.seed = 7;
  if (arguments[1] == "http")
    static_cast<void>(how.allow.allow("net"));
  return how;
}

convene::session_setup talk(std::vector<convene::participant> who) {
  return {.title = "Talk",
          .purpose = "To be ended",
          .participants = std::move(who),
          .task = "talk",
          .options = {.turn_timeout_ms = 60'000,
                      .max_turns = 1'000'000,
                      .rounds = 100'000}};
}

void load(convene::runtime& of) {
  const auto& what = arguments[1];
  const auto says = [](const convene::turn_request&) {
    return convene::reply{.content = "{\"a\": \"b\"}"};
  };
  if (what == "nothing")
    return;
  if (what == "ended") {
    auto once = talk({convene::quick_agent("a", "role-a", says)});
    once.options.rounds = 1;
    static_cast<void>(of.start(once).await());
    return;
  }
  if (what == "quick" || what == "virtual") {
    static_cast<void>(
      of.start(talk({convene::quick_agent("a", "role-a", says),
                     convene::quick_agent("b", "role-b", says)})));
    return;
  }
  if (what == "blocking") {
    const auto slowly = [says](const convene::turn_request& turn) {
      std::this_thread::sleep_for(5ms);
      return says(turn);
    };
    for (int i = 0; i < 8; ++i)
      static_cast<void>(
        of.start(talk({convene::agent("a", "role-a", slowly)})));
    return;
  }
  if (what == "hung") {
    static_cast<void>(
      of.start(talk({convene::agent("a", "role-a", [says](const auto& turn) {
        std::this_thread::sleep_for(60s);
        return says(turn);
      })})));
    return;
  }
  if (what == "pending") {
    static_cast<void>(of.start(talk({convene::async_agent(
      "a", "role-a", [](const auto&, convene::responder answers) {
        const std::lock_guard held{pending_mutex};
        pending.push_back(
          std::make_shared<convene::responder>(std::move(answers)));
      })})));
    return;
  }
  if (what == "idle") {
    const auto session
      = of.start(talk({convene::quick_agent("a", "role-a", says)}));
    session.suspend("for later");
    return;
  }
  if (what == "exits") {
    static_cast<void>(of.start(
      talk({convene::agent("a", "role-a", [](const auto&) -> convene::reply {
        std::exit(0); // NOLINT
      })})));
    std::this_thread::sleep_for(60s);
  }
  if (what == "exits-in-actor") {
    static_cast<void>(of.start(talk(
      {convene::quick_agent("a", "role-a", [](const auto&) -> convene::reply {
        std::exit(0); // NOLINT
      })})));
    std::this_thread::sleep_for(60s);
  }
  if (what == "exits-in-observer") {
    static_cast<void>(of.start(
      talk({convene::quick_agent("a", "role-a", says)}), [](auto, auto lines) {
        if (lines.find("MAPTurnCompleted") != lines.npos)
          std::exit(0); // NOLINT
      }));
    std::this_thread::sleep_for(60s);
  }
}

convene::runtime& owner() {
  const auto& who = arguments[0];
  if (who == "global-pointer") {
    global_pointer = std::make_unique<convene::runtime>(options());
    return *global_pointer;
  }
  if (who == "function-static") {
    static convene::runtime one{options()};
    return one;
  }
  if (who == "in-another-static") {
    auto& all = the_application().runtimes;
    return *(all["one"] = std::make_shared<convene::runtime>(options()));
  }
  if (who == "thread-local") {
    static thread_local convene::runtime one{options()};
    return one;
  }
  if (who == "thread-local-pointer") {
    static thread_local std::unique_ptr<convene::runtime> one;
    one = std::make_unique<convene::runtime>(options());
    return *one;
  }
  if (who == "at-exit") {
    // Registered before anything of the runtime is.
    std::atexit([] { global_pointer.reset(); });
    global_pointer = std::make_unique<convene::runtime>(options());
    return *global_pointer;
  }
  return *early.owned;
}

} // namespace

int main(int count, char** words) {
  arguments.assign(words + 1, words + count);
  std::jthread other;
  if (arguments[2] == "on-another-thread") {
    other = std::jthread{[] { load(owner()); }};
    other.join();
  } else {
    load(owner());
  }
  std::this_thread::sleep_for(10ms);
  if (arguments[2] == "exit")
    std::exit(0); // NOLINT(concurrency-mt-unsafe)
  return 0;
}
