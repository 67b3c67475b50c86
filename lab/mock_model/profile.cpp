#include <convene/actors/behaviours/settings.hpp>
#include <convene/lab/mock_model/profile.hpp>
#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host::mock {
namespace {

namespace json = boost::json;
using protocol::place;
using protocol::reading;

constexpr std::array<std::string_view, 5> finish_words{"stop", "length",
                                                       "tools", "refusal",
                                                       "content_filter"};
constexpr std::array<std::string_view, 13> dialect_words{
  "openai",  "azure",  "deepseek",   "gemini", "groq", "llama.cpp", "lmdeploy",
  "mistral", "ollama", "openrouter", "tags",   "tgi",  "vllm"};
constexpr std::array<std::string_view, 4> order_words{"next", "first",
                                                      "by_request", "seeded"};

/// The word's place in the list; the schema has seen to it that it is there.
template <class Word, std::size_t Size>
Word word_in(const std::array<std::string_view, Size>& words,
             const json::value& text) {
  std::size_t at = 0;
  while (at + 1 < Size && words[at] != std::string_view{text.as_string()})
    ++at;
  return static_cast<Word>(at);
}

template <class Number>
void take_number(const json::object& from, std::string_view name, Number& to) {
  if (const auto* found = from.if_contains(name))
    to = found->to_number<Number>();
}

void take_text(const json::object& from, std::string_view name,
               std::string& to) {
  if (const auto* found = from.if_contains(name))
    to = std::string{found->as_string()};
}

bool take(reading& r, const json::object& from, const place& at,
          std::string_view name, actors::distribution& to) {
  const auto* found = from.if_contains(name);
  if (found == nullptr)
    return true;
  to = {};
  return actors::read(r, *found, place{&at, name, {}}, protocol::anything, to);
}

bool take_pace(reading& r, const json::object& from, const place& at,
               pace& to) {
  return take(r, from, at, "first_token_ms", to.first_token_ms)
         && take(r, from, at, "tokens_per_second", to.tokens_per_second);
}

/// Whether an answer or an error names one failure at most, or just one.
bool names_one(reading& r, const json::object& from, const place& at,
               std::int64_t least) {
  constexpr std::string_view failures[]{"status", "hang", "cut_after_bytes"};
  const auto named = std::ranges::count_if(
    failures, [&from](std::string_view name) { return from.contains(name); });
  if (named >= least && named <= 1)
    return true;
  return r.refuse(at, "one_failure",
                  least == 0
                    ? "only one of status, hang and cut_after_bytes can be"
                    : "name one of status, hang and cut_after_bytes");
}

/// The failure that an answer or an error of the profile names, if one.
std::optional<failure> failure_of(const json::object& from) {
  failure out;
  take_text(from, "message", out.message);
  if (const auto* found = from.if_contains("retry_after_s"))
    out.retry_after_s = found->to_number<std::int64_t>();
  take_number(from, "cut_after_bytes", out.cut_after_bytes);
  take_number(from, "status", out.status);
  if (from.contains("cut_after_bytes"))
    out.how = failure::kind::cut;
  else if (const auto* hang = from.if_contains("hang");
           hang != nullptr && hang->as_bool())
    out.how = failure::kind::hang;
  else if (!from.contains("status"))
    return std::nullopt;
  return out;
}

bool take_answer(reading& r, const json::object& from, const place& at,
                 const pace& usual, scripted_answer& to) {
  if (!names_one(r, from, at, 0))
    return false;
  take_text(from, "when", to.when);
  take_number(from, "weight", to.weight);
  take_text(from, "text", to.text);
  take_text(from, "thoughts", to.thoughts);
  if (const auto* tools = from.if_contains("tools"))
    for (const auto& one : tools->as_array()) {
      const auto& call = one.as_object();
      auto& added = to.tools.emplace_back();
      added.name = std::string{call.at("name").as_string()};
      if (const auto* arguments = call.if_contains("arguments"))
        added.arguments = arguments->as_object();
    }
  if (const auto* ends = from.if_contains("finish"))
    to.ends = word_in<finish>(finish_words, *ends);
  to.fails = failure_of(from);
  if (!from.contains("first_token_ms") && !from.contains("tokens_per_second"))
    return true;
  to.speed = usual;
  return take_pace(r, from, at, *to.speed);
}

bool take_model(reading& r, const json::object& from, const place& at,
                model& to) {
  if (!take_pace(r, from, at, to.speed)
      || !take(r, from, at, "size_tokens", to.size_tokens))
    return false;
  if (to.size_tokens.low > answer_tokens_max
      || to.size_tokens.high > answer_tokens_max)
    return r.refuse(place{&at, "size_tokens", {}}, "answer_tokens_max",
                    "an answer has at most " + std::to_string(answer_tokens_max)
                      + " tokens");
  if (const auto* limits = from.if_contains("limits")) {
    take_number(limits->as_object(), "requests_per_minute",
                to.limits.requests_per_minute);
    take_number(limits->as_object(), "tokens_per_minute",
                to.limits.tokens_per_minute);
  }
  take_number(from, "tool_calls", to.tool_calls);
  double rates = 0;
  if (const auto* errors = from.if_contains("errors"))
    for (const auto& one : errors->as_array()) {
      const place within{&at, "errors", {}};
      if (!names_one(r, one.as_object(), place{&within, {}, to.errors.size()},
                     1))
        return false;
      auto& added = to.errors.emplace_back();
      take_number(one.as_object(), "rate", added.rate);
      added.what = failure_of(one.as_object()).value_or(failure{});
      rates += added.rate;
    }
  if (rates > 1)
    return r.refuse(place{&at, "errors", {}}, "rates",
                    "the rates of the errors together are at most 1");
  if (const auto* speaks = from.if_contains("dialect"))
    to.speaks = word_in<dialect>(dialect_words, *speaks);
  if (const auto* order = from.if_contains("order"))
    to.order = word_in<answer_order>(order_words, *order);
  const auto* answers = from.if_contains("answers");
  if (answers == nullptr)
    return true;
  const place within{&at, "answers", {}};
  for (std::size_t index = 0; index < answers->as_array().size(); ++index)
    if (!take_answer(r, answers->as_array()[index].as_object(),
                     place{&within, {}, index}, to.speed,
                     to.answers.emplace_back()))
      return false;
  return true;
}

/// A model's members, with those that hold for all models where it has none.
json::object with_defaults(const json::object& all, const json::object& own) {
  constexpr std::string_view shared[]{"first_token_ms", "tokens_per_second",
                                      "limits",         "errors",
                                      "size_tokens",    "tool_calls",
                                      "dialect"};
  auto out = own;
  for (const auto name : shared)
    if (const auto* usual = all.if_contains(name);
        usual != nullptr && !out.contains(name))
      out.emplace(name, *usual);
  return out;
}

bool take_profile(reading& r, const json::object& from, profile& to) {
  const place top{};
  take_number(from, "seed", to.seed);
  if (const auto* repeats = from.if_contains("repeats"))
    to.repeats_differ = repeats->as_string() == "differ";
  // What all models have is judged where it stands.
  if (model usual; !take_model(r, with_defaults(from, {}), top, usual))
    return false;
  const auto* models = from.if_contains("models");
  if (models == nullptr)
    return take_model(r, with_defaults(from, {}), top, to.models["*"]);
  const place within{&top, "models", {}};
  for (const auto& one : models->as_object())
    if (!take_model(r, with_defaults(from, one.value().as_object()),
                    place{&within, one.key(), {}}, to.models[one.key()]))
      return false;
  return true;
}

protocol::result<profile> read_valid(const json::value& from) {
  const auto schema = protocol::embedded_schema("convene-mock-model");
  if (!schema)
    return protocol::fail(schema.error());
  const auto found = protocol::validate(*schema, from);
  if (!found.valid)
    return protocol::fail(protocol::boundary::to_error(found));
  reading r;
  profile out;
  if (!take_profile(r, from.as_object(), out))
    return protocol::fail(*std::move(r.fault));
  return out;
}

} // namespace

const model* profile::find(std::string_view name) const {
  auto found = models.find(name);
  if (found == models.end())
    found = models.find("*");
  return found == models.end() ? nullptr : &found->second;
}

protocol::result<profile> parse_profile(std::string_view text,
                                        const std::string& file) {
  const auto in_file = [&](protocol::error what) {
    what.file = file;
    if (what.line == 0) {
      const auto [line, column] = locate(text, what.pointer);
      what.line = line;
      what.column = column;
    }
    return what;
  };
  auto value = protocol::parse_relaxed_json(text);
  if (!value)
    return protocol::fail(in_file(std::move(value).error()));
  return read_valid(*value).map_error(in_file);
}

protocol::result<profile> read_profile(const std::filesystem::path& file) {
  return read_file(file).and_then([&](const std::string& text) {
    return parse_profile(text, file.string());
  });
}

} // namespace convene::host::mock
