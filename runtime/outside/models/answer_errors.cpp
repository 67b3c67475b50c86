#include <boost/json/serialize.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace convene::host {

namespace json = protocol::json;
using protocol::text_of;

namespace {

constexpr std::size_t words_bytes_max = 500;

/// Blanks in a row become one space.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text)
    if (!protocol::is_json_space(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  if (line.ends_with(' '))
    line.pop_back();
  return line;
}

/// What a value says, in the first of its members that says something.
std::string words_of_value(const json::value& from, int depth = 0) {
  constexpr int depth_max = 6;
  if (from.is_string())
    return std::string{from.get_string()};
  if (depth == depth_max)
    return {};
  if (const auto* list = from.if_array()) {
    constexpr std::size_t shown = 3;
    std::string all;
    for (std::size_t i = 0; i < std::min(list->size(), shown); ++i)
      if (const auto words = words_of_value((*list)[i], depth + 1);
          !words.empty())
        all += (all.empty() ? "" : "; ") + words;
    return all;
  }
  const auto* object = from.if_object();
  if (!object)
    return {};
  constexpr std::array names{
    std::string_view{"message"}, std::string_view{"error"},
    std::string_view{"detail"},  std::string_view{"msg"},
    std::string_view{"errors"},  std::string_view{"error_description"},
    std::string_view{"reason"},  std::string_view{"title"}};
  for (const auto name : names)
    if (const auto* found = object->if_contains(name))
      if (auto words = words_of_value(*found, depth + 1); !words.empty())
        return words;
  return {};
}

/// How an error is marked: by types, codes and a status.
struct error_marks {
  std::vector<std::string> words; ///< as they were sent
  std::int64_t status = 0;        ///< 0: none
};

void add_marks(error_marks& to, const json::object& from) {
  for (const std::string_view name :
       {"type", "error_type", "code", "error_code", "status"}) {
    auto word = text_of(from, name);
    std::int64_t number = whole_number(from, name).value_or(0);
    if (!word.empty())
      std::from_chars(word.data(), word.data() + word.size(), number);
    if (to.status == 0 && number >= 100 && number <= 599)
      to.status = number;
    else if (!word.empty() && word != "error"
             && std::ranges::find(to.words, word) == to.words.end())
      to.words.emplace_back(word);
  }
}

/// Lower-case letters only, without "error" or "exception" at the end.
std::string plain_mark(std::string_view mark) {
  std::string plain;
  for (const char c : mark)
    if (protocol::is_lower(c))
      plain += c;
    else if (protocol::is_upper(c))
      plain += static_cast<char>(c - 'A' + 'a');
  for (const std::string_view end : {"error", "exception"})
    if (plain.ends_with(end))
      plain.erase(plain.size() - end.size());
  return plain;
}

bool is_transient_mark(std::string_view mark) {
  static constexpr std::array marks{
    std::string_view{"api"},
    std::string_view{"apiconnection"},
    std::string_view{"badgateway"},
    std::string_view{"deadlineexceeded"},
    std::string_view{"engineoverloaded"},
    std::string_view{"gatewaytimeout"},
    std::string_view{"insufficientsystemresource"},
    std::string_view{"internal"},
    std::string_view{"internalserver"},
    std::string_view{"modeloverloaded"},
    std::string_view{"overloaded"},
    std::string_view{"ratelimit"},
    std::string_view{"ratelimited"},
    std::string_view{"ratelimitexceeded"},
    std::string_view{"ratelimitreached"},
    std::string_view{"requests"},
    std::string_view{"requesttimeout"},
    std::string_view{"resourceexhausted"},
    std::string_view{"server"},
    std::string_view{"serveroverloaded"},
    std::string_view{"serviceunavailable"},
    std::string_view{"theserviceiscurrentlyunavailable"}, // xAI
    std::string_view{"throttling"},
    std::string_view{"timeout"},
    std::string_view{"tokens"},
    std::string_view{"toomanyrequests"},
    std::string_view{"toolusefailed"}, // Groq: the model's slip
    std::string_view{"unavailable"}};
  return std::ranges::find(marks, plain_mark(mark)) != marks.end();
}

/// No waiting helps. Exact words: others use the same ones in their sentences.
bool is_final_mark(std::string_view mark) {
  static constexpr std::array marks{
    std::string_view{"insufficient_quota"},
    std::string_view{"billing_error"},
    std::string_view{"billing_hard_limit_reached"},
    std::string_view{"authentication_error"},
    std::string_view{"permission_error"},
    std::string_view{"invalid_api_key"},
    std::string_view{"content_filter"},
    std::string_view{"context_length_exceeded"},
    std::string_view{"exceed_context_size_error"}};
  return std::ranges::find(marks, mark) != marks.end();
}

bool is_transient_number(std::int64_t status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

bool is_transient(const error_marks& marks) {
  if (marks.status == 402 || std::ranges::any_of(marks.words, is_final_mark))
    return false;
  return is_transient_number(marks.status)
         || std::ranges::any_of(marks.words, is_transient_mark);
}

/// Where an object has its error: itself or inside.
const json::object& error_object(const json::object& from) {
  const auto* inside = object_member(from, "error");
  return inside ? *inside : from;
}

error_marks marks_of(const json::object& from) {
  error_marks marks;
  const auto& inside = error_object(from);
  add_marks(marks, inside);
  if (&inside != &from)
    add_marks(marks, from);
  return marks;
}

protocol::action_error error_from(const json::object& from) {
  const auto& inside = error_object(from);
  auto words = words_of_value(from);
  // A router's words are general, those of the provider behind it are not.
  if (const auto* more = object_member(inside, "metadata"))
    if (const auto raw = text_of(*more, "raw"); !raw.empty())
      words += (words.empty() ? "" : ": ") + std::string{raw};
  if (words.empty())
    words = json::serialize(from);
  const auto marks = marks_of(from);
  std::string named;
  for (const auto& each : marks.words)
    if (words.find(each) == words.npos)
      named += (named.empty() ? "" : ", ") + each.substr(0, 60);
  if (marks.status != 0)
    named += (named.empty() ? "" : ", ") + std::to_string(marks.status);
  return {.code = "provider_error",
          .message = "the provider reports: "
                     + protocol::sanitize_beginning(in_one_line(words),
                                                    words_bytes_max)
                     + (named.empty() ? "" : " (" + named + ")"),
          .transient = is_transient(marks)};
}

std::optional<json::object> object_in(std::string_view text) {
  auto read = read_object(text);
  if (!read)
    return std::nullopt;
  return std::move(*read);
}

/// Whether a member says that there is an error: null, false and {} do not.
bool says_error(const json::value* what) {
  if (!what || what->is_null() || (what->is_bool() && !what->get_bool()))
    return false;
  const auto* object = what->if_object();
  const auto* list = what->if_array();
  const auto* text = what->if_string();
  return !(object && object->empty()) && !(list && list->empty())
         && !(text && text->empty());
}

} // namespace

std::optional<protocol::action_error> reported_error(const json::object& from) {
  const bool is_answer = from.contains("choices") || from.contains("content")
                         || from.contains("usage");
  const auto* message = object_member(from, "message");
  const bool is_instead = !is_answer
                          && (says_error(from.if_contains("detail"))
                              || says_error(from.if_contains("errors"))
                              || !text_of(from, "message").empty()
                              || (message && message->contains("detail")));
  if (says_error(from.if_contains("error")) || text_of(from, "type") == "error"
      || text_of(from, "object") == "error" || is_instead)
    return error_from(from);
  return std::nullopt;
}

protocol::action_error error_in(std::string_view text) {
  if (const auto object = object_in(text))
    return error_from(*object);
  auto words = in_one_line(text);
  if (words.starts_with('<'))
    words = page_words(words);
  protocol::action_error error{.code = "provider_error"};
  if (!words.empty())
    error.message = "the provider reports: "
                    + protocol::sanitize_beginning(words, words_bytes_max);
  return error;
}

bool may_succeed_later(int status, std::string_view body) {
  constexpr std::array final_ones{401, 402, 403, 404, 405, 413, 422};
  if (std::ranges::find(final_ones, status) != final_ones.end())
    return false;
  error_marks marks;
  if (const auto object = object_in(body))
    marks = marks_of(*object);
  if (marks.status == 0 || is_transient_number(status))
    marks.status = status;
  return is_transient(marks);
}

std::string page_words(std::string_view html) {
  constexpr std::string_view title = "<title>";
  if (const auto at = html.find(title); at != html.npos) {
    const auto rest = html.substr(at + title.size());
    if (auto words = in_one_line(rest.substr(0, rest.find('<')));
        !words.empty())
      return words;
  }
  std::string text;
  bool in_tag = false;
  for (const char c : html.substr(0, std::size_t{16} << 10U)) {
    if (c == '<')
      text += ' ';
    in_tag = c == '<' || (in_tag && c != '>');
    if (!in_tag && c != '>')
      text += c;
  }
  return in_one_line(text);
}

} // namespace convene::host
