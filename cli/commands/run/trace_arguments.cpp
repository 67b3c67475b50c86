#include <convene/cli/commands/run/trace_arguments.hpp>
#include <convene/protocol/documents/trace_context.hpp>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Nothing: there is none that is valid.
std::optional<trace_context>
trace_of_environment(std::vector<host::source_note>& notes) {
  trace_context made{.traceparent = variable("TRACEPARENT"),
                     .tracestate = variable("TRACESTATE")};
  if (made.traceparent.empty())
    return std::nullopt;
  const auto ignored = [&notes](std::string_view name) {
    notes.push_back({.message = "the environment variable " + std::string{name}
                                + " is not valid by W3C Trace Context, and is "
                                  "ignored"});
  };
  if (!parse_traceparent(made.traceparent)) {
    ignored("TRACEPARENT");
    return std::nullopt;
  }
  if (!is_tracestate(made.tracestate)) {
    ignored("TRACESTATE");
    made.tracestate.clear();
  }
  return made;
}

} // namespace

void add_trace(const command_line& command, trace_arguments& arguments) {
  command.add("--traceparent", arguments.traceparent);
  command.add("--tracestate", arguments.tracestate);
}

result<void> join_trace(session::spec& scenario,
                        const trace_arguments& arguments, bool has_seed,
                        std::vector<host::source_note>& notes) {
  if (arguments.traceparent.empty()) {
    if (!arguments.tracestate.empty())
      return fail(errc::usage,
                  "--tracestate goes with a --traceparent: give both",
                  "tracestate");
    if (!scenario.trace_context && !has_seed)
      scenario.trace_context = trace_of_environment(notes);
    return {};
  }
  trace_context given{.traceparent = arguments.traceparent,
                      .tracestate = arguments.tracestate};
  if (auto valid = check_trace_context(given, ""); !valid) {
    const auto& why = valid.error();
    return fail(errc::usage, "--" + why.rule + ' ' + why.message, why.rule);
  }
  scenario.trace_context = std::move(given);
  return {};
}

} // namespace convene::cli
