#pragma once

#include <convene/runtime/outside/models/conversation.hpp>
#include <convene/runtime/outside/participants/llm.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// One turn of a model; for sources in this folder only.

namespace convene::host {

class unrecorded_thoughts;

/// Asks the model, carries out what it calls, and asks again until its reply is
/// complete. Kept alive by whatever it waits for; the rounds follow each other,
/// only calls of MCP tools run at the same time.
class llm_turn : public std::enable_shared_from_this<llm_turn> {
public:
  llm_turn(std::shared_ptr<const llm_settings> settings,
           std::shared_ptr<const llm_surroundings> with,
           actors::turn_request asked, turn_port port);

  void start();

private:
  /// The calls of one answer of the model.
  struct call_round {
    model_answer answer;
    std::vector<model_message> results; ///< by the index of the call
    bool valid = true;
    bool ends = false;
    bool acts = false;      ///< with a tool of an MCP server
    protocol::reply before; ///< the reply as it was
    std::mutex mutex;
    std::size_t open = 1;         ///< guarded
    protocol::action_error fatal; ///< guarded; empty code: none
  };

  void offer(std::vector<tool> outside);
  void next_round();
  void call();
  bool fall_back(const protocol::action_error& why);
  void fail_call(const protocol::action_error& why);
  void hear(protocol::action_result result);
  [[nodiscard]] bool is_offered(std::string_view name) const;
  /// What a model is told that calls a tool which does not exist.
  [[nodiscard]] std::string unknown_tool(std::string_view name) const;
  void call_tools(model_answer answer);
  void call_outside(const std::shared_ptr<call_round>& round, std::size_t index,
                    const tool& which);
  void carry_out(const tool& which, protocol::action what,
                 actors::when_acted then);
  void called(const std::shared_ptr<call_round>& round);
  void conclude(const model_answer& answer);
  void repair(const model_answer& answer, const std::string& why);
  /// Those of the model that is called now.
  [[nodiscard]] std::shared_ptr<const llm_settings> model() const;
  [[nodiscard]] model_access access() const;
  void fail(std::string code, std::string message);

  std::shared_ptr<const llm_settings> settings_;
  std::shared_ptr<const llm_surroundings> with_;
  actors::turn_request asked_;
  turn_port port_;
  model_prompt prompt_;
  protocol::reply reply_;
  std::map<std::string, tool, std::less<>> outside_; ///< by the model's name
  std::int64_t round_ = 0;
  std::size_t which_ = 0; ///< of the models: the first, or a fallback
  std::string failures_;  ///< of the models before it
  std::shared_ptr<std::atomic<int>> status_; ///< of the latest attempt
  /// Of the latest answer; null: they are recorded with it.
  std::shared_ptr<unrecorded_thoughts> thoughts_;
  std::int64_t repairs_ = 0;
  std::string text_; ///< the latest that the model said
};

} // namespace convene::host
