#include <convene/cli/commands/check/findings.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

namespace convene::cli {

using namespace convene::protocol;

placed_finding place_finding(const error& what) {
  return {what.file, what.line, {.rule = what.rule, .message = what.message}};
}

void print_findings(const std::vector<placed_finding>& all) {
  for (const auto& [file, line, what] : all) {
    const auto place = line == 0 ? file : fmt::format("{}:{}", file, line);
    const auto session = what.session_id.empty() ? "-" : what.session_id;
    print_line(
      fmt::format("{}: {} {} {}", place, session, what.rule, what.message));
  }
}

json::array to_json(const std::vector<placed_finding>& all) {
  json::array findings;
  for (const auto& [file, line, what] : all)
    findings.push_back({{"file", sanitize_utf8(file)},
                        {"line", line},
                        {"session_id", sanitize_utf8(what.session_id)},
                        {"rule", what.rule},
                        {"message", sanitize_utf8(what.message)}});
  return findings;
}

} // namespace convene::cli
