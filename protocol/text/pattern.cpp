#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/text/pattern.hpp>
#include <convene/protocol/text/pattern_width.hpp>
#include <convene/protocol/text/regex_translation.hpp>

#include <utility>

namespace convene::protocol::validation {
namespace {

constexpr std::int64_t memory_max = 1 << 20;

/// The longest text that a pattern meets, and the steps that a search in it may
/// take: a fraction of a second.
constexpr std::uint64_t text_bytes_max = 1 << 20;
constexpr std::uint64_t steps_max = 64 * text_bytes_max;

error too_wide(std::string_view source, const pattern_width& width) {
  return {.code = errc::limit_reached,
          .message
          = "a search for the pattern can be at " + std::to_string(width.places)
            + " places of it at once, and at most 64 are possible in "
              "long texts: shorten its repetitions, or begin it with ^",
          .rule = "pattern_steps",
          .value = shorten(source)};
}

/// As common/identifiers has it.
constexpr std::string_view identifier
  = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

result<std::unique_ptr<re2::RE2>> make_matcher(std::string_view source,
                                               letter_case letters) {
  const auto translated = translate_pattern(source);
  if (!translated)
    return fail(translated.error());
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory_max);
  options.set_case_sensitive(letters == letter_case::matters);
  auto matcher = std::make_unique<re2::RE2>(*translated, options);
  if (matcher->ok()) {
    const auto width = width_of(*translated, letters == letter_case::ignored);
    if (width.steps(text_bytes_max) > steps_max)
      return fail(too_wide(source, width));
    return matcher;
  }
  const bool too_large = matcher->error_code() == re2::RE2::ErrorPatternTooLarge
                         || matcher->error_code() == re2::RE2::ErrorRepeatSize;
  return fail({.code = too_large ? errc::limit_reached : errc::invalid_document,
               .message = "the pattern cannot be used: " + matcher->error(),
               .rule = too_large ? "pattern_size" : "pattern",
               .value = shorten(source)});
}

} // namespace

pattern_matcher::pattern_matcher(std::string source,
                                 std::unique_ptr<const re2::RE2> made)
  : source_(std::move(source)), made_(made.release()) {}

pattern_matcher::~pattern_matcher() {
  delete made_.load(std::memory_order_relaxed);
}

/// Of several threads that make it at once, one is first.
const re2::RE2& pattern_matcher::make() const {
  auto made = make_matcher(source_, letter_case::matters).value();
  const re2::RE2* known = nullptr;
  return made_.compare_exchange_strong(known, made.get(),
                                       std::memory_order_acq_rel)
           ? *made.release()
           : *known;
}

result<pattern> make_pattern(std::string_view source, letter_case letters) {
  auto made = make_matcher(source, letters);
  if (!made)
    return fail(std::move(made).error());
  return pattern{
    .source = std::string{source},
    .matcher = std::make_unique<const pattern_matcher>(std::string{source},
                                                       *std::move(made)),
    .is_identifier = source == identifier && letters == letter_case::matters};
}

pattern accepted_pattern(std::string_view source) {
  return {.source = std::string{source},
          .matcher
          = std::make_unique<const pattern_matcher>(std::string{source}),
          .is_identifier = source == identifier};
}

} // namespace convene::protocol::validation
