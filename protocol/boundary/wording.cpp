#include <convene/protocol/boundary/wording.hpp>

#include <algorithm>

namespace convene::protocol::boundary {
namespace {

std::ptrdiff_t depth_of(const violation& one) {
  return std::ranges::count(one.instance_pointer, '/');
}

std::string limit_in_words(const validation_outcome& of) {
  return "not validated: a limit was reached (" + std::string{to_word(of.limit)}
         + ")";
}

} // namespace

const violation& main_violation(const validation_outcome& of) {
  return *std::ranges::max_element(of.violations, {}, depth_of);
}

std::string in_words(const validation_outcome& of) {
  if (of.violations.empty())
    return limit_in_words(of);
  const auto& what = main_violation(of);
  return what.text + " by schema " + what.schema_pointer;
}

std::string message_of(const violation& what) {
  const auto prefix = what.instance_pointer.empty()
                        ? std::string{"the document: "}
                        : what.instance_pointer + ": ";
  return what.text.starts_with(prefix) ? what.text.substr(prefix.size())
                                       : what.text;
}

error to_error(const validation_outcome& of, const std::string& pointer) {
  if (of.violations.empty())
    return {.code = errc::limit_reached,
            .message = limit_in_words(of),
            .pointer = pointer,
            .rule = std::string{to_word(of.limit)}};
  const auto& what = main_violation(of);
  // The value of what should not be there may be a secret.
  const bool unknown = what.keyword == "additionalProperties";
  return {.code = errc::invalid_document,
          .message = unknown ? message_of(what) : "expected " + what.expected,
          .pointer = pointer + what.instance_pointer,
          .rule = what.keyword,
          .value = unknown ? std::string{} : what.actual};
}

} // namespace convene::protocol::boundary
