#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/workflow/recorder.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using event = workflow_event_type;
using status = run_node_status;

/// How long a delay takes, if that is a time.
std::optional<std::int64_t> time_of(const json::value& given) {
  if (!given.is_number())
    return std::nullopt;
  const auto ms = given.to_number<double>();
  if (!(ms >= 0 && ms <= static_cast<double>(workflow_time_max_ms)))
    return std::nullopt;
  return static_cast<std::int64_t>(ms);
}

} // namespace

result<json::object> run_machine::inputs_of(std::size_t node) const {
  json::object made;
  for (const auto& [port, input] : workflow_->definition.nodes[node].inputs) {
    const json::value* found = nullptr;
    json::value channel;
    if (input.type == input_source::fixed)
      found = &input.value->held;
    else if (input.type == input_source::variable
             && !workflow_->has_variable(*input.variable_name))
      found = &(channel = read_channel(*input.variable_name));
    else if (input.type == input_source::variable)
      found = state_.variables.if_contains(*input.variable_name);
    else if (const auto& from
             = state_.nodes[*workflow_->find(*input.node_id)].outputs)
      found = from->if_contains(*input.output_key);
    if (found != nullptr)
      made.emplace(port, *found);
    else if (!input.optional.value_or(false))
      return fail(errc::invalid_document,
                  "the input " + shorten(port) + " has no value",
                  "input_missing");
  }
  return made;
}

json::value run_machine::read_channel(const std::string& name) const {
  const auto known = workflow_->channels.find(name);
  return state_.channels.value_of(known->second, name);
}

bool run_machine::is_due(std::size_t node, timestamp_ms now) const noexcept {
  const auto& deadline = state_.nodes[node].deadline;
  return deadline && now >= *deadline;
}

std::int64_t run_machine::delay_of(std::size_t node) const {
  const auto* const config
    = std::get_if<delay_config>(&workflow_->nodes[node].config);
  if (config == nullptr)
    return 0;
  const auto inputs = inputs_of(node);
  const auto* const given = inputs ? inputs->if_contains("delayMs") : nullptr;
  return given ? time_of(*given).value_or(0) : config->ms.value_or(0);
}

bool run_machine::work(recorder& to, std::size_t node, const noop_config&) {
  complete(to, node, {});
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const identity_config& config) {
  auto inputs = inputs_of(node);
  if (!inputs) {
    fail_node(to, node, inputs.error().rule, inputs.error().message, true);
    return true;
  }
  const auto& of = state_.nodes[node];
  const auto channels = message_channels(config.channel);
  if (config.emit_duplicate_message_id && of.writes < 2 * channels.size())
    return write_channel(to, node, channels[of.writes / 2],
                         json::object{{"messageId",
                                       workflow_->id_of(node) + ":"
                                         + std::to_string(of.attempts - 1)},
                                      {"from", workflow_->id_of(node)},
                                      {"content", *inputs},
                                      {"ts", of.started_at}});
  complete(to, node, *std::move(inputs));
  return true;
}

bool run_machine::work(recorder& to, std::size_t node, const delay_config&) {
  const auto inputs = inputs_of(node);
  if (!inputs) {
    fail_node(to, node, inputs.error().rule, inputs.error().message, true);
    return true;
  }
  if (const auto* given = inputs->if_contains("delayMs");
      given != nullptr && !time_of(*given)) {
    fail_node(to, node, "input_invalid",
              "delayMs is a number from 0 to "
                + std::to_string(workflow_time_max_ms) + ", not "
                + shorten_value(*given),
              true);
    return true;
  }
  if (state_.nodes[node].deadline && !is_due(node, to.time()))
    return false;
  complete(to, node, {});
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const fail_config& config) {
  fail_node(to, node, config.code, config.message);
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const channel_write_config& config) {
  if (state_.nodes[node].writes > 0) {
    complete(to, node, {});
    return true;
  }
  const auto inputs = inputs_of(node);
  if (!inputs) {
    fail_node(to, node, inputs.error().rule, inputs.error().message, true);
    return true;
  }
  const auto* value = inputs->if_contains("value");
  if (value == nullptr && config.value)
    value = &config.value->held;
  if (value != nullptr)
    return write_channel(to, node, config.channel_name, *value);
  fail_node(to, node, "input_missing",
            "there is no value to write: give the input or the config one",
            true);
  return true;
}

bool run_machine::work(recorder& to, std::size_t node, const session_config&) {
  const auto& of = state_.nodes[node];
  // That of the run it was forked from runs for that run.
  if (of.session_id != session_id_of(node, of.attempts - 1)) {
    to.record(event::node_retried,
              node_noted{.node_id = workflow_->id_of(node), .reason = "forked"},
              node);
    return true;
  }
  if (!is_due(node, to.time()))
    return false;
  if (!is_replay())
    to.act(cancel_session{workflow_->id_of(node), *of.session_id});
  fail_node(to, node, "session_timeout",
            "the session took longer than timeoutMs allows");
  return true;
}

bool run_machine::write_channel(recorder& to, std::size_t node,
                                const std::string& channel,
                                const json::value& value) {
  const auto bytes = json::serialize(value).size();
  auto fits = run_channels::check(workflow_->channels, state_.channels, channel,
                                  value);
  if (fits && bytes > node_outputs_bytes_max)
    fits = fail(errc::limit_reached, "a write to a channel has too many bytes",
                "node_outputs_bytes_max");
  if (fits && bytes > run_bytes_max - std::min(run_bytes_max, state_.bytes))
    fits = fail(errc::limit_reached, "the run has written too many bytes",
                "run_bytes_max");
  if (fits)
    if (auto wrong = check_readable(value, ""))
      fits = fail(std::move(wrong->what));
  if (!fits) {
    fail_node(to, node, fits.error().rule, fits.error().message, true);
    return true;
  }
  to.record(event::channel_written,
            channel_written{.channel = channel,
                            .value = {value},
                            .reducer
                            = workflow_->channels.find(channel)->second.reducer,
                            .written_at = format_timestamp(to.time()),
                            .node_id = workflow_->id_of(node)},
            node);
  return true;
}

} // namespace convene::session
