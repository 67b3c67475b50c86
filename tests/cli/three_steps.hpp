#pragma once

#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// A single agent's run of three steps, and its rollback.

namespace convene::tests {

namespace fs = std::filesystem;
namespace json = boost::json;
using protocol::parse_json;

inline std::string step_id(int number) {
  return "550e8400-e29b-41d4-a716-44665544000" + std::to_string(number);
}

inline json::object
program_of(const std::string& script, bool repeatable = true,
           const std::string& reply = R"({"content": "done"})") {
  return {{"type", "process"},
          {"repeatable", repeatable},
          {"command",
           {"sh", "-c",
            "cat >/dev/null; " + script + "; echo '" + reply + "'"}}};
}

/// What a step of the role says: that it is done, and that it wrote a file.
inline std::string writes(const std::string& role) {
  return R"({"content": "did )" + role + R"(", "result": {"made": ")" + role
         + R"("}, "writes": [{"resource_type": "file", "resource_id": ")" + role
         + R"(.txt", "base_version": 0, "op": "put", "value": "by )" + role
         + R"("}]})";
}

/// Whether a program has written to the file, not only created it.
inline bool has_text(const fs::path& file) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  return !failed && bytes != 0;
}

/// Steps a, b and c, one after the other; each, and what undoes it, is noted in
/// the file `done`.
struct three_steps : run_fixture {
  json::object what;

  three_steps() : run_fixture("") {
    json::array steps;
    int number = 1;
    for (const std::string role : {"a", "b", "c"}) {
      json::object step{{"step_id", step_id(number)},
                        {"description", "do " + role},
                        {"agent_role", role}};
      if (number > 1)
        step["dependencies"] = json::array{json::string{step_id(number - 1)}};
      ++number;
      steps.push_back(std::move(step));
      does(role, note(role), writes(role));
      undoes(role, note("undo-" + role));
    }
    what["context"] = json::object{{"title", "Three steps"}};
    what["plan"] = json::object{{"title", "Three steps"}, {"steps", steps}};
  }

  [[nodiscard]] std::string note(const std::string& word) const {
    return "echo " + word + " >>" + folder.path().string() + "/done";
  }

  void does(const std::string& role, const std::string& script,
            const std::string& reply) {
    object_in("behaviours")[role] = program_of(script, true, reply);
  }
  void undoes(const std::string& role, const std::string& script,
              bool repeatable = true) {
    object_in("compensations")[role] = program_of(script, repeatable);
  }
  json::object& object_in(const char* name) {
    auto& member = what[name];
    if (member.is_null())
      member.emplace_object();
    return member.as_object();
  }

  [[nodiscard]] finished ran(const std::vector<std::string>& more = {}) const {
    write_bytes(scenario, json::serialize(what));
    std::vector<std::string> all{"--profile", "sa", "--allow", "run=sh"};
    all.insert(all.end(), more.begin(), more.end());
    return run_with(all);
  }

  [[nodiscard]] std::vector<std::string>
  rollback_arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"rollback", out, "--allow", "run=sh"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] finished
  rolled_back(const std::vector<std::string>& more = {}) const {
    return run(rollback_arguments(more));
  }

  /// A script that notes that it began, and waits until it is released.
  [[nodiscard]] std::string held_back() const {
    const auto at = folder.path().string();
    return "echo $$ >" + at + "/pid; echo 1 >>" + at + "/begun; while [ ! -e "
           + at + "/go ]; do sleep 0.02; done; ";
  }
  /// For those that begin from now on: one whose program was killed ends first.
  void release() const {
    const pid_t running = std::stoi(read_bytes(folder / "pid"));
    while (kill(running, 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    write_bytes(folder / "go", "");
  }

  /// What was done and undone, in one line.
  [[nodiscard]] std::string done() const {
    auto all = fs::exists(folder / "done") ? read_bytes(folder / "done") : "";
    std::ranges::replace(all, '\n', ' ');
    return all;
  }

  [[nodiscard]] std::vector<json::object> events() const {
    std::istringstream lines{read_bytes(out + "/rollback.jsonl")};
    std::vector<json::object> all;
    for (std::string line; std::getline(lines, line);) {
      const auto event = parse_json(line);
      REQUIRE(event);
      if (event->as_object().contains("event_type"))
        all.push_back(event->as_object());
    }
    return all;
  }
  /// Replaces the record by one of these events.
  void write_record(const std::vector<std::string>& lines) const {
    fs::remove(out + "/rollback.jsonl");
    auto log = convene::host::event_log_writer::open(out + "/rollback.jsonl");
    REQUIRE(log);
    for (const auto& line : lines)
      REQUIRE((*log)->append(line + '\n'));
    REQUIRE((*log)->close());
  }
  [[nodiscard]] std::string types() const {
    std::string all;
    for (const auto& event : events())
      all += std::string{event.at("event_type").as_string()} + ' ';
    return all;
  }

  void check_good() const {
    const auto checked = run({"check", out});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
    const auto valid = run({"validate", out, "--invariants"});
    INFO(valid.out << valid.err);
    CHECK(valid.code == 0);
  }
};

inline json::object json_of(const finished& done) {
  const auto parsed = parse_json(done.out);
  INFO(done.out << done.err);
  REQUIRE(parsed);
  return parsed->as_object();
}

inline const std::string three_done = "rollback_planned compensation_ended "
                                      "compensation_ended compensation_ended "
                                      "graph_rolled_back rollback_executed ";

} // namespace convene::tests
