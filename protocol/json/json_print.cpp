#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_printer.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::protocol {

namespace {

/// Whether the text has one of two characters that JSON has short escapes for,
/// which the writer lacks. Most texts are short: no call takes longer than
/// this.
bool has_rare_escape(std::string_view text) noexcept {
  std::size_t at = 0;
#ifdef __SSE2__
  constexpr std::size_t block = 16;
  for (; at + block <= text.size(); at += block) {
    const auto bytes
      = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const auto found = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\b')),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\f')));
    if (_mm_movemask_epi8(found) != 0)
      return true;
  }
#endif
  for (; at < text.size(); ++at)
    if (text[at] == '\b' || text[at] == '\f')
      return true;
  return false;
}

} // namespace

void json_printer::item() {
  constexpr std::size_t much = std::size_t{256} << 10;
  if (full_ != nullptr && out_->position() > much)
    hand_over();
  if (how_ == layout::page)
    break_line(!is_empty_);
  else if (!is_empty_)
    out_->raw(",");
  is_empty_ = false;
}

/// The writer makes room for six times the text.
void json_printer::print(std::string_view text) {
  constexpr std::size_t short_max = 4096;
  if (text.size() <= short_max && !has_rare_escape(text))
    out_->string(text);
  else
    out_->raw(json::serialize(json::string_view{text}));
}

void json_printer::print(std::uint64_t value) {
  out_->raw(std::to_string(value));
}

void json_printer::print(double value) {
  if (!std::isfinite(value)) {
    out_->raw("null");
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  const std::string_view shown{text, static_cast<std::size_t>(end - text)};
  out_->raw(shown);
  if (shown.find_first_of(".e") == std::string_view::npos)
    out_->raw(".0");
}

void json_printer::print(bool value) {
  out_->raw(value ? std::string_view{"true"} : "false");
}

void json_printer::print(const json::value& what) { // NOLINT(misc-no-recursion)
  switch (what.kind()) {
    case json::kind::array:
      return print(what.get_array());
    case json::kind::object:
      return print(what.get_object());
    case json::kind::string:
      return print(std::string_view{what.get_string()});
    case json::kind::double_:
      return print(what.get_double());
    case json::kind::int64:
      return print(what.get_int64());
    case json::kind::uint64:
      return print(what.get_uint64());
    case json::kind::bool_:
      return print(what.get_bool());
    case json::kind::null:
      out_->raw("null");
  }
}

void json_printer::print( // NOLINT(misc-no-recursion)
  const json::object& what) {
  open_object();
  for (const auto& [key, member] : what) {
    item();
    print(std::string_view{key});
    out_->raw(how_ == layout::line ? std::string_view{":"} : ": ");
    print(member);
  }
  close_object();
}

void json_printer::print( // NOLINT(misc-no-recursion)
  const json::array& what) {
  open_array();
  for (const auto& each : what) {
    item();
    print(each);
  }
  close_array();
}

void json_printer::open(std::string_view bracket) {
  out_->raw(bracket);
  ++depth_;
  is_empty_ = true;
}

void json_printer::close(std::string_view bracket) {
  --depth_;
  if (!is_empty_ && how_ == layout::page)
    break_line(false);
  is_empty_ = false;
  out_->raw(bracket);
}

/// Written in one piece with the comma before it and the spaces behind it.
void json_printer::break_line(bool comma) {
  constexpr std::size_t comma_and_break = 2;
  constexpr std::string_view text{",\n                                "};
  constexpr auto spaces = text.size() - comma_and_break;
  auto left = 2 * depth_;
  const auto some = std::min(left, spaces);
  out_->raw(text.substr(comma ? 0 : 1, (comma ? 2 : 1) + some));
  for (left -= some; left != 0;) {
    const auto more = std::min(left, spaces);
    out_->raw(text.substr(comma_and_break, more));
    left -= more;
  }
}

void json_printer::hand_over() {
  out_.reset();
  (*full_)(buffer_.view());
  buffer_.clear();
  out_.emplace(buffer_);
}

namespace {

std::string printed(const auto& what, layout how) {
  byte_buffer text;
  json_printer{text, how}.print(what);
  if (how == layout::page)
    text.append("\n");
  return std::string{text.view()};
}

} // namespace

std::string pretty(const json::value& what) {
  return printed(what, layout::page);
}

std::string pretty_object(const json::object& what) {
  return printed(what, layout::page);
}

std::string one_line(const json::value& what) {
  return printed(what, layout::line);
}

} // namespace convene::protocol
