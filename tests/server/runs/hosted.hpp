#pragma once

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/server/runs/run_host.hpp>
#include <runtime/log/event_log/files.hpp>

#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <vector>

namespace convene::tests {

namespace json = boost::json;
using namespace convene::server;

/// A host on a folder of its own, with the example workflows, which can be
/// closed and opened again.
class hosting {
public:
  explicit hosting(run_sessions sessions = {})
    : sessions_{std::move(sessions)} {
    open();
  }

  void open() {
    auto made = run_host::open({.data = folder_ / "data",
                                .workflows = workflows,
                                .durable = protocol::durability::group,
                                .keeping = keeping,
                                .runs_max = runs_max,
                                .runs_bytes_max = runs_bytes_max,
                                .shares = shares,
                                .sessions = sessions_,
                                .texts = texts});
    INFO((made ? "" : to_string(made.error())));
    REQUIRE(made);
    host_ = *std::move(made);
  }
  void close() {
    host_.reset();
  }
  void reopen() {
    close();
    open();
  }

  run_host* operator->() const {
    return host_.get();
  }
  run_host& operator*() const {
    return *host_;
  }

  /// A workflow of one's own, known from the next opening on.
  void add_workflow(const std::string& text) {
    const auto own = folder_ / "own";
    std::filesystem::create_directories(own);
    std::ofstream{own / ("w" + std::to_string(++count_) + ".json")} << text;
    workflows = own;
    reopen();
  }

  run_outcome start(const std::string& workflow, json::object inputs = {},
                    const std::string& key = {}) const {
    const auto* found = host_->workflows().find(workflow);
    REQUIRE(found != nullptr);
    return outcome([&](when_taken then) {
      host_->create(*found, {.inputs = std::move(inputs)}, std::move(then), {},
                    false, key);
    });
  }
  run_outcome feed(const std::string& run_id, session::run_input input) const {
    const auto run = found(run_id);
    return outcome([&](when_taken then) {
      host_->feed(run, std::move(input), std::move(then));
    });
  }
  run_outcome answer(const std::string& run_id, const std::string& node,
                     const std::string& value) const {
    return feed(run_id, session::resolve_interrupt{
                          .node_id = node,
                          .resume_value = protocol::parse_json(value).value()});
  }

  [[nodiscard]] std::shared_ptr<hosted_run>
  found(const std::string& run_id) const {
    auto run = host_->find(run_id);
    REQUIRE(run != nullptr);
    return run;
  }
  [[nodiscard]] json::object snapshot(const std::string& run_id) const {
    std::promise<protocol::result<json::object>> made;
    host_->snapshot(found(run_id),
                    [&made](auto what) { made.set_value(std::move(what)); });
    auto what = made.get_future().get();
    INFO((what ? "" : to_string(what.error())));
    REQUIRE(what);
    return *std::move(what);
  }
  [[nodiscard]] std::string status(const std::string& run_id) const {
    return std::string{snapshot(run_id).at("status").as_string()};
  }
  /// All events of a run, once it has ended.
  std::vector<std::string> events_at_end(const std::string& run_id) const {
    const auto record = found(run_id)->record;
    for (;;) {
      std::promise<void> more;
      const auto shown = record->shown();
      if (record->ended())
        break;
      record->when_more(shown, [&more] { more.set_value(); });
      REQUIRE(more.get_future().wait_for(std::chrono::minutes{2})
              == std::future_status::ready);
    }
    return events(run_id);
  }
  [[nodiscard]] std::vector<std::string>
  events(const std::string& run_id) const {
    std::vector<std::string> all;
    for (const auto& each : found(run_id)->record->read(0, 10'000).events)
      all.push_back(*each);
    return all;
  }

  std::filesystem::path workflows = std::filesystem::path{CONVENE_SOURCE_DIR}
                                    / "examples/workflows";
  std::shared_ptr<session_texts> texts = std::make_shared<session_texts>();
  std::size_t runs_max = 100;
  run_log_keeping keeping = {};
  std::size_t runs_bytes_max = std::size_t{1} << 30;
  share_limits shares = {};

  [[nodiscard]] std::filesystem::path data() const {
    return folder_ / "data";
  }

private:
  static run_outcome outcome(const std::function<void(when_taken)>& ask) {
    std::promise<run_outcome> made;
    ask([&made](run_outcome what) { made.set_value(std::move(what)); });
    return made.get_future().get();
  }

  scratch_folder folder_;
  run_sessions sessions_;
  int count_ = 0;
  std::unique_ptr<run_host> host_;
};

inline std::vector<std::string> types_of(const std::vector<std::string>& all) {
  std::vector<std::string> types;
  for (const auto& each : all)
    types.emplace_back(
      protocol::parse_json(each).value().at("type").as_string());
  return types;
}

} // namespace convene::tests
