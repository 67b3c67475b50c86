#include <boost/json/array.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/tool_text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/approval.hpp>
#include <convene/runtime/outside/participants/approve_setting.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <convene/session/options/options.hpp>

#include <utility>

namespace convene::host {

void describe(auto& v, protocol::of<mcp_settings> auto& x) {
  using protocol::between;
  using protocol::not_empty;
  v.ignored("type");
  v.member("server", x.server, not_empty);
  v.member("tool", x.tool, not_empty);
  v.defaulted("arguments", x.arguments);
  v.defaulted("timeout_ms", x.timeout_ms, between(1, session::duration_ms_max));
  v.defaulted("repeatable", x.repeatable);
  v.defaulted("retries", x.retries, between(0, 100));
  v.ignored("approve");
}

namespace {

namespace json = protocol::json;

constexpr std::string_view resource_word = "${resource:";

bool is_placeholder(std::string_view text) {
  return text.starts_with("${") && text.ends_with('}');
}

/// TYPE/ID of "${resource:TYPE/ID}"; no type: it is none.
session::resource_name resource_in(std::string_view text) {
  if (!text.starts_with(resource_word))
    return {};
  text.remove_prefix(resource_word.size());
  text.remove_suffix(1);
  const auto slash = text.find('/');
  if (slash == text.npos || slash + 1 == text.size())
    return {};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

/// Calls `f` with each string in it, which it may replace; false from `f`
/// stops. Values nest no deeper than a scenario file does.
template <class F>
bool each_text(json::value& in, F& f) { // NOLINT(misc-no-recursion)
  if (in.is_string())
    return f(in);
  if (auto* items = in.if_array()) {
    for (auto& each : *items)
      if (!each_text(each, f))
        return false;
  } else if (auto* members = in.if_object()) {
    for (auto& each : *members)
      if (!each_text(each.value(), f))
        return false;
  }
  return true;
}

std::string_view text_in(const json::value& from) {
  const auto& text = from.get_string();
  return {text.data(), text.size()};
}

} // namespace

protocol::result<mcp_settings> read_mcp_settings(const json::value& from,
                                                 std::string_view pointer) {
  protocol::reading r;
  mcp_settings made;
  const protocol::place at{.name = pointer};
  protocol::read(r, from, at, protocol::anything, made);
  const protocol::place inside{&at, "arguments", {}};
  auto check = [&](json::value& each) {
    const auto text = text_in(each);
    if (!is_placeholder(text) || text == "${task}" || text == "${content}"
        || !resource_in(text).type.empty())
      return true;
    return r.refuse(inside, "placeholder",
                    "write ${task}, ${content} or ${resource:TYPE/ID}",
                    protocol::shorten(text));
  };
  json::value arguments = made.arguments;
  if (!r.fault)
    each_text(arguments, check);
  read_approve(r, from, at, pattern_of(made.server + '/' + made.tool),
               made.approve);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return made;
}

protocol::result<json::object>
filled_arguments(const json::object& arguments,
                 const actors::turn_request& asked) {
  json::value all = arguments;
  std::string missing;
  auto fill = [&](json::value& each) {
    const auto text = text_in(each);
    if (text == "${task}") {
      each = asked.task;
    } else if (text == "${content}") {
      const auto dialog = asked.dialog();
      each = dialog.empty() ? std::string{} : dialog.back().content;
    } else if (is_placeholder(text) && text.starts_with(resource_word)) {
      const auto name = resource_in(text);
      const auto* found = asked.workspace.find(name);
      if (found == nullptr || found->deleted) {
        missing = std::string{name.type} + ' ' + protocol::quote(name.id);
        return false;
      }
      each = found->value;
    }
    return true;
  };
  if (!each_text(all, fill))
    return protocol::fail(protocol::errc::invalid_document,
                          "the workspace has no " + missing
                            + ", which the tool's arguments name",
                          "no_such_resource");
  return std::move(all.get_object());
}

protocol::reply reply_of_tool(const protocol::action_result& how) {
  if (how.status != protocol::action_status::completed)
    return failed_reply(how.error.code, how.error.message);
  protocol::reply made;
  const auto* output = how.output.if_object();
  const auto* content = output == nullptr ? nullptr
                                          : output->if_contains("content");
  if (content == nullptr || !content->is_array())
    return failed_reply("invalid_answer", "the tool answered without content");
  // Pictures and the like are on the log alone.
  made.content = protocol::text_of_tool(*output);
  made.result = protocol::object_of(*output, "structuredContent");
  const auto* failed = output->if_contains("isError");
  if (failed != nullptr && failed->is_bool() && failed->get_bool()) {
    made.status = protocol::reply_status::failed;
    made.error = {"tool_error", made.content.empty()
                                  ? "the tool failed without saying why"
                                  : made.content};
  }
  return made;
}

mcp_behaviour::mcp_behaviour(mcp_settings how, std::shared_ptr<tool_box> tools,
                             std::shared_ptr<people> approvers)
  : how_{std::move(how)}, tools_{std::move(tools)}, approvers_{
                                                      std::move(approvers)} {
  // nop
}

void mcp_behaviour::begin(actors::turn_request asked) {
  const auto live = asked.live;
  auto arguments = filled_arguments(how_.arguments, asked);
  if (!arguments) {
    live->answer(
      failed_reply(arguments.error().rule, arguments.error().message));
    return;
  }
  protocol::action what;
  what.position = "0";
  what.kind = protocol::action_kind::mcp;
  what.name = how_.server + '/' + how_.tool;
  what.arguments = *arguments;
  what.repeatable = how_.repeatable;
  what.timeout_ms = how_.timeout_ms;
  actors::retry_policy retry;
  retry.attempts = static_cast<std::uint32_t>(how_.retries) + 1;
  auto attempt = [tools = tools_, name = what.name,
                  arguments = *std::move(arguments)](
                   const actors::attempt& which, actors::when_acted then) {
    return tools->call(name, arguments, which, std::move(then));
  };
  auto then = [live](const protocol::action_result& how) {
    live->answer(reply_of_tool(how));
  };
  auto carry_out = [live, what, retry, attempt = std::move(attempt), then] {
    live->act(what, retry, attempt, then);
  };
  if (how_.approve.empty())
    return carry_out();
  ask_approval(port_of(live), approvers_, asked, what, std::move(carry_out),
               then);
}

} // namespace convene::host
