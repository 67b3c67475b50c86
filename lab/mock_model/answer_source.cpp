#include <boost/json/serialize.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/mock_model/answer_source.hpp>
#include <convene/lab/mock_model/drawn_answer.hpp>
#include <convene/lab/mock_model/tokens.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::host::mock {
namespace {

namespace json = boost::json;

/// What a number is drawn for. The order is part of what a seed means.
enum purpose : std::uint8_t {
  error_at_all,
  which_answer,
  answer_size,
  words_drawn,
  calls_at_all,
  which_tool,
  arguments_drawn,
  first_token,
  speed,
  answer_id
};

/// Stands for the call's idempotency key in texts and arguments of scripts.
constexpr std::string_view key_place = "${idempotency_key}";

void fill_key(std::string& text, const std::string& key) {
  for (auto at = text.find(key_place); at != text.npos;
       at = text.find(key_place, at + key.size()))
    text.replace(at, key_place.size(), key);
}

void fill_key(json::object& arguments, const std::string& key) {
  for (auto& one : arguments)
    if (const auto* text = one.value().if_string();
        text != nullptr && text->find(key_place) != json::string::npos) {
      std::string filled{*text};
      fill_key(filled, key);
      one.value() = filled;
    }
}

std::uint64_t key_of(const prompt& asked) {
  const auto hash = digest_of(asked.content);
  std::uint64_t out = asked.form == wire_form::openai ? 0 : 1;
  for (std::size_t at = 0; at < sizeof out; ++at)
    out = (out << 8) ^ hash[at];
  return out;
}

std::int64_t tokens_in(const answer& what) {
  auto out = count_tokens(what.text);
  for (const auto& one : what.tools)
    out += count_tokens(json::serialize(one.arguments));
  return std::max<std::int64_t>(out, 1);
}

/// What is beyond the tokens that the caller wants goes, calls first.
void shorten_answer(const prompt& asked, answer& what) {
  if (asked.tokens_max == 0 || tokens_in(what) <= asked.tokens_max)
    return;
  what.tools.clear();
  what.text = first_tokens(what.text, asked.tokens_max);
  what.ends = finish::length;
}

void draw_answer(const model& of, const prompt& asked,
                 const actors::draws& from, std::uint32_t times, answer& to) {
  const bool may_call = !asked.tools.empty()
                        && asked.choice != tool_choice::none;
  if (may_call
      && (asked.choice == tool_choice::required
          || from.uniform(times, calls_at_all) < of.tool_calls)) {
    const auto& tool = asked.tools[bit_row{from.bits(times, which_tool)}.below(
      asked.tools.size())];
    to.tools.push_back(
      {tool.name, drawn_arguments(bit_row{from.bits(times, arguments_drawn)},
                                  tool.parameters)});
    return;
  }
  const auto size = std::clamp<std::int64_t>(
    of.size_tokens.at(from.uniform(times, answer_size)), 0, answer_tokens_max);
  // No more words are made than are sent.
  const auto made
    = asked.tokens_max == 0 ? size : std::min(size, asked.tokens_max + 1);
  to.text = drawn_text(bit_row{from.bits(times, words_drawn)}, made);
}

std::optional<failure> drawn_error(const model& of, double luck) {
  for (const auto& one : of.errors) {
    if (luck < one.rate)
      return one.what;
    luck -= one.rate;
  }
  return std::nullopt;
}

} // namespace

answer_source::answer_source(profile how, std::size_t counted_max)
  : how_{std::move(how)}, counted_max_{counted_max} {}

std::optional<std::uint32_t> answer_source::count(std::uint64_t key) {
  if (!how_.repeats_differ)
    return 0;
  const std::scoped_lock lock{mutex_};
  auto found = counts_.find(key);
  if (found == counts_.end()) {
    if (counts_.size() >= counted_max_)
      return std::nullopt;
    found = counts_.emplace(key, 0).first;
  }
  return found->second++;
}

const scripted_answer* answer_source::choose(const model& of,
                                             const prompt& asked,
                                             std::uint32_t times, double luck) {
  std::vector<std::size_t> fits;
  double weights = 0;
  for (std::size_t at = 0; at < of.answers.size(); ++at)
    if (asked.said.find(of.answers[at].when) != asked.said.npos) {
      fits.push_back(at);
      weights += of.answers[at].weight;
    }
  if (fits.empty())
    return nullptr;
  auto chosen = fits.back();
  if (of.order == answer_order::first) {
    chosen = fits.front();
  } else if (of.order == answer_order::by_request) {
    chosen = fits[std::min<std::size_t>(times, fits.size() - 1)];
  } else if (of.order == answer_order::seeded) {
    luck *= weights;
    for (const auto at : fits) {
      if (luck < of.answers[at].weight) {
        chosen = at;
        break;
      }
      luck -= of.answers[at].weight;
    }
  } else {
    const std::scoped_lock lock{mutex_};
    auto& given = given_[&of];
    given.resize(of.answers.size());
    const auto fresh = std::ranges::find_if(fits, [&given](std::size_t at) {
      return !given[at];
    });
    if (fresh != fits.end())
      chosen = *fresh;
    given[chosen] = true;
  }
  return &of.answers[chosen];
}

std::optional<answer> answer_source::next(const prompt& asked,
                                          const std::string& idempotency_key,
                                          const model& of) {
  const auto key = key_of(asked);
  const auto counted = count(key);
  if (!counted)
    return std::nullopt;
  const auto times = *counted;
  const actors::draws from{how_.seed, fmt::format("{:016x}", key)};
  answer out;
  out.id = fmt::format("{:016x}{:08x}", from.bits(times, answer_id), times);
  out.fails = drawn_error(of, from.uniform(times, error_at_all));
  const auto* speed_of = &of.speed;
  if (of.answers.empty()) {
    draw_answer(of, asked, from, times, out);
  } else if (const auto* script = choose(of, asked, times,
                                         from.uniform(times, which_answer))) {
    out.text = script->text;
    out.thoughts = script->thoughts;
    out.tools = script->tools;
    fill_key(out.text, idempotency_key);
    for (auto& one : out.tools)
      fill_key(one.arguments, idempotency_key);
    if (script->fails)
      out.fails = script->fails;
    if (script->speed)
      speed_of = &*script->speed;
    out.ends = script->ends.value_or(finish::stop);
  } else {
    out.fails = failure{.status = 500,
                        .message = "no answer of the model '" + asked.model
                                   + "' fits this prompt"};
  }
  shorten_answer(asked, out);
  if (!out.tools.empty() && out.ends == finish::stop)
    out.ends = finish::tools;
  out.tokens = tokens_in(out);
  out.first_token_ms
    = speed_of->first_token_ms.at(from.uniform(times, first_token));
  out.tokens_per_second
    = speed_of->tokens_per_second.at(from.uniform(times, speed));
  return out;
}

} // namespace convene::host::mock
