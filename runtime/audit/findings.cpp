#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/findings.hpp>

namespace convene::host {

using namespace convene::protocol;

placed_finding place_finding(const error& what) {
  return {what.file, what.line, {.rule = what.rule, .message = what.message}};
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

} // namespace convene::host
