#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/text/pattern.hpp>
#include <convene/protocol/text/regex_translation.hpp>

namespace convene::protocol::validation {
namespace {

constexpr std::int64_t memory_max = 1 << 20;

/// As common/identifiers has it.
constexpr std::string_view identifier
  = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

} // namespace

result<pattern> make_pattern(std::string_view source, letter_case letters) {
  const auto translated = translate_pattern(source);
  if (!translated)
    return fail(translated.error());
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory_max);
  options.set_case_sensitive(letters == letter_case::matters);
  auto matcher = std::make_unique<re2::RE2>(*translated, options);
  if (matcher->ok())
    return pattern{.source = std::string{source},
                   .matcher = std::move(matcher),
                   .is_identifier = source == identifier
                                    && letters == letter_case::matters};
  const bool too_large = matcher->error_code() == re2::RE2::ErrorPatternTooLarge
                         || matcher->error_code() == re2::RE2::ErrorRepeatSize;
  return fail({.code = too_large ? errc::limit_reached : errc::invalid_document,
               .message = "the pattern cannot be used: " + matcher->error(),
               .rule = too_large ? "pattern_size" : "pattern",
               .value = shorten(source)});
}

} // namespace convene::protocol::validation
