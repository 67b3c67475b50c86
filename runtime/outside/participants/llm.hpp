#pragma once

#include <convene/runtime/outside/http/paced_client.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>
#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/participants/session_models.hpp>
#include <convene/runtime/outside/participants/tool_box.hpp>
#include <convene/runtime/outside/participants/turn_port.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Receives a participant's text as its model says it, in valid UTF-8. An
/// attempt that fails and is repeated says it again. Called on the loop thread:
/// must not block.
using when_participant_says
  = std::function<void(std::string_view session_id,
                       std::string_view participant, std::string_view text)>;

/// What a model's server is given besides the prompt.
struct model_access {
  std::string api_key; ///< the value of `api_key_env`
  /// The scenario's `headers`, with the values of their variables.
  std::vector<http_header> headers;
  std::vector<std::string> secrets; ///< values of variables in `headers`
};

/// What a model participant uses.
struct llm_surroundings {
  std::shared_ptr<paced_client> http; ///< shared by all of a run
  std::shared_ptr<tool_box> tools;    ///< null: there are no MCP servers
  std::string api_key;                ///< the value of `api_key_env`
  bool log_prompts = false;           ///< the log has the prompts, too
  when_participant_says on_text;      ///< may be empty
  /// Tools that the application carries out.
  std::vector<std::shared_ptr<const actors::executor>> functions = {};
  std::vector<http_header> headers = {};       ///< as those of `model_access`
  std::vector<std::string> secrets = {};       ///< as those of `model_access`
  std::vector<model_access> fallback = {};     ///< for each of the settings'
  std::shared_ptr<session_models> models = {}; ///< null: of nobody else
  std::shared_ptr<host::people> people = {};   ///< who approve calls
};

/// A participant that a language model answers for. Each call of the model is
/// an action of kind model at "<round>.0", of the n-th fallback at
/// "<round>.0.<n>", each call of an MCP tool one of kind mcp at
/// "<round>.<index + 1>", and of an executor one of kind function. A call that
/// a person has to approve is asked about first (approval.hpp). What the model
/// does with the session's own tools takes effect with the reply.
/// Codes of failed replies:
/// - those of the model's action: the call failed, and so did those of all
///   fallbacks; the message has the reason of each;
/// - `model_reply_invalid`: what it said was wrong more than `repairs` times;
/// - `tool_rounds_max`: it still called tools after `rounds_max` rounds;
/// - `model_length`, `model_content_filter`, `model_refused`: why it stopped;
/// - `tools_unavailable`: the MCP servers could not say what tools they have.
/// The session is cancelled once no participant can be answered
/// (session_models.hpp).
class llm_behaviour final : public late_behaviour {
public:
  llm_behaviour(llm_settings settings, llm_surroundings with);

  void begin(actors::turn_request asked) override;

  /// `begin`, with another way to act and answer.
  void begin(actors::turn_request asked, turn_port port) const;

private:
  std::shared_ptr<const llm_settings> settings_;
  std::shared_ptr<const llm_surroundings> with_;
};

} // namespace convene::host
