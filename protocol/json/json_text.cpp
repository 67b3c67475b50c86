#include <convene/protocol/json/json_build.hpp>
#include <convene/protocol/json/json_scan.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t depth_max = 1'000;

/// A parser for a text and a depth. Small texts of a thread share one, which
/// keeps what it has allocated: 16 bytes for each of such a text.
struct lent_parser {
  static constexpr std::size_t kept_bytes = std::size_t{16} << 10;

  lent_parser(std::size_t bytes, std::size_t depth)
    : parser{bytes <= kept_bytes ? kept() : own} {
    const auto wanted = bytes <= kept_bytes ? kept_bytes : bytes;
    is_ready = (parser.capacity() == wanted && parser.max_depth() == depth)
               || !parser.allocate(wanted, depth);
  }

  dom::parser own;
  dom::parser& parser;
  bool is_ready = false;

private:
  static dom::parser& kept() {
    thread_local dom::parser one;
    return one;
  }
};

/// What is wrong with a text that simdjson or the builder refused.
error explain(std::string_view text, const json_limits& limits) {
  if (const auto at = find_invalid_utf8(text); at != std::string_view::npos)
    return fault_at(text, at, "utf8",
                    "the text is not valid UTF-8 here: save it as UTF-8");
  if (auto fault = find_fault(text, limits))
    return *std::move(fault);
  return {.code = errc::invalid_json,
          .message = "the text is not JSON that we accept",
          .rule = "syntax"};
}

std::string_view without_bom(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

std::optional<error> too_large(std::string_view text,
                               const json_limits& limits) {
  if (text.size() <= limits.bytes)
    return std::nullopt;
  return error{.code = errc::limit_reached,
               .message = "the text is longer than "
                          + std::to_string(limits.bytes) + " bytes: split it",
               .rule = "size",
               .value = std::to_string(text.size()) + " bytes"};
}

result<json::value> parse_into(json::storage_ptr memory, std::string_view text,
                               const json_limits& limits) {
  if (auto refused = too_large(text, limits))
    return fail(*std::move(refused));
  text = without_bom(text);
  json_limits bounds = limits;
  bounds.depth = std::min(limits.depth, depth_max);
  lent_parser lent{std::max<std::size_t>(text.size(), 64), bounds.depth + 2};
  json::value value(std::move(memory));
  dom::element root;
  if (!lent.is_ready || lent.parser.parse(text.data(), text.size()).get(root)
      || !json_builder{bounds}.build(root, value))
    return fail(explain(text, bounds));
  return value;
}

} // namespace

result<json::value> parse_json(std::string_view text,
                               const json_limits& limits) {
  return parse_into({}, text, limits);
}

result<const json::value*> json_scratch::parse(std::string_view text) {
  value_.reset();
  memory_.emplace(buffer_.data(), buffer_.size());
  return parse_into(&*memory_, text, {})
    .map([this](json::value parsed) -> const json::value* {
      return &value_.emplace(std::move(parsed));
    });
}

result<json::value> parse_relaxed_json(std::string_view text,
                                       const json_limits& limits) {
  if (auto refused = too_large(text, limits))
    return fail(*std::move(refused));
  text = without_bom(text);
  if (!valid_utf8(text))
    return fail(explain(text, limits));
  return parse_json(blank_relaxations(text), limits);
}

} // namespace convene::protocol
