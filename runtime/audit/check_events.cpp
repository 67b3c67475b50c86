#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/runtime/audit/check_events.hpp>
#include <convene/runtime/data/documents/check_text.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace convene::host {
namespace {

constexpr std::size_t events_bytes_max = std::size_t{256} << 20;

/// Whether there are lines or members that a log of convene alone has. What is
/// left of one without these says no more than events of others.
bool is_of_log(std::string_view text) {
  constexpr std::array<std::string_view, 6> words{
    R"("log_opened")",  R"("log_group")", R"("session_input")",
    R"("spec_sha256")", R"("spec")",      R"("graph_opened")"};
  return std::ranges::any_of(words, [text](auto word) {
    return text.find(word) != text.npos;
  });
}

placed_finding as_finding(const std::string& file,
                          const placed_violation& one) {
  return {file,
          one.line,
          {.rule = one.rule.id.empty() ? one.keyword : one.rule.id,
           .session_id = {},
           .line = one.line,
           .message = (one.instance.empty() ? "" : one.instance + ": ")
                      + one.message}};
}

} // namespace

protocol::result<log_verdict> check_events(const std::string& file) {
  const auto text = read_file(file, events_bytes_max);
  if (!text)
    return protocol::fail(text.error());
  if (is_of_log(*text))
    return log_verdict{};
  if (const auto begins = text->find_first_not_of(" \t\r\n\xef\xbb\xbf");
      begins != text->npos && (*text)[begins] == '[')
    return protocol::fail({.code = protocol::errc::unreadable,
                           .message = std::string{array_refused},
                           .file = file,
                           .rule = "event_array"});
  const auto rules = protocol::usual_invariants();
  if (!rules)
    return protocol::fail(rules.error());
  log_verdict all;
  const auto done = validate_files(
    {.paths = {file}, .rules = &*rules}, [&](const file_verdict& one) {
      for (const auto& [schema, count] : one.schemas)
        if (schema.ends_with("-event") || schema.ends_with("-event-core"))
          all.foreign += count;
      all.findings_total += one.errors_total;
      for (const auto& each : one.errors)
        all.findings.push_back(as_finding(one.file, each));
    });
  if (!done)
    return protocol::fail(done.error());
  all.events = all.foreign;
  return all;
}

} // namespace convene::host
