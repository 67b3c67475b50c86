#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/workflow/limits.hpp>
#include <convene/session/workflow/start_size.hpp>

#include <string>
#include <utility>

namespace convene::session {
namespace {

using namespace protocol;

run_refusal oversized_start(std::string rule, std::string message,
                            std::string pointer,
                            errc kind = errc::limit_reached) {
  return {run_refusal_code::validation_error,
          {.code = kind,
           .message = std::move(message),
           .pointer = std::move(pointer),
           .rule = std::move(rule)}};
}

} // namespace

std::optional<run_refusal> check_start_size(const start_run& input) {
  if (input.tags.size() > run_tags_max)
    return oversized_start(
      "run_tags_max",
      "a run has at most " + std::to_string(run_tags_max) + " tags", "/tags");
  auto bytes = json::serialize(input.inputs).size()
               + json::serialize(input.configurable).size()
               + json::serialize(input.metadata).size();
  for (const auto& tag : input.tags) {
    bytes += tag.size();
    if (!valid_utf8(tag))
      return oversized_start("utf8", "a tag is not UTF-8", "/tags",
                             errc::invalid_document);
  }
  if (bytes > run_inputs_bytes_max)
    return oversized_start(
      "run_inputs_bytes_max",
      "inputs, configurable, metadata and tags have at most "
        + std::to_string(run_inputs_bytes_max) + " bytes",
      "");
  const auto check = [](const json::object& what, const char* pointer) {
    return check_readable(what, pointer);
  };
  for (auto wrong : {check(input.inputs, "/inputs"),
                     check(input.configurable, "/configurable"),
                     check(input.metadata, "/metadata")})
    if (wrong)
      return run_refusal{run_refusal_code::validation_error,
                         std::move(wrong->what)};
  return std::nullopt;
}

} // namespace convene::session
