#include <boost/json/array.hpp>
#include <convene/actors/behaviours/settings.hpp>
#include <convene/lab/simulation/faults/fault_spec.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::int64_t segment_bytes_max = std::int64_t{1} << 20;

} // namespace

void describe(auto& v, of<fault_rates> auto& x) {
  for (std::size_t i = 0; i < fault_kinds; ++i)
    v.defaulted(protocol::fault_words.at(i), x.of.at(i),
                protocol::between(0, 1));
}

void describe(auto& v, of<fault_turn> auto& x) {
  v.member("fault", x.fault);
  v.member("at", x.at, {.minimum = 1});
}

void describe(auto& v, of<fault_spec> auto& x) {
  v.member("rates", x.rates);
  v.member("script", x.script, protocol::at_most(fault_script_max));
  v.member("random", x.random, protocol::between(0, 1));
  v.defaulted("delay_ms", x.delay_ms);
  v.defaulted("away_ms", x.away_ms);
  v.defaulted("clock_jump_ms", x.clock_jump_ms,
              protocol::between(0, session::duration_ms_max));
  v.defaulted("segment_bytes", x.segment_bytes,
              protocol::between(0, segment_bytes_max));
  v.defaulted("keep_bytes", x.keep_bytes,
              protocol::between(0, segment_bytes_max));
}

namespace {

constexpr double random_rate = 0.1;

result<fault_spec> read_fault_json(const json::value& from) {
  fault_spec made;
  reading r;
  const protocol::place top{.name = ""};
  if (protocol::read(r, from, top, anything, made)
      && int{made.rates.has_value()} + int{made.script.has_value()}
             + int{made.random.has_value()}
           != 1)
    r.refuse(top, "one_source",
             "give exactly one of rates, script and random, such as "
             "{\"rates\": {\"crash\": 0.01}}");
  if (!r.fault && made.keep_bytes > 0 && made.segment_bytes == 0)
    r.refuse({&top, "keep_bytes", {}}, "segments_needed",
             "a log is removed in segments: give segment_bytes, too");
  if (r.fault)
    return fail(*std::move(r.fault));
  return made;
}

result<fault_spec> read_fault_file(const std::string& file) {
  constexpr std::size_t file_bytes_max = std::size_t{4} << 20;
  const auto text = read_file(file, file_bytes_max);
  if (!text) {
    auto why = text.error();
    why.message += "; --faults takes kinds with their rates (crash=0.01), "
                   "random, JSON or a file with JSON";
    return fail(std::move(why));
  }
  return parse_relaxed_json(*text)
    .and_then(read_fault_json)
    .map_error([&](error what) {
      return in_text(in_file(std::move(what), file), *text);
    });
}

tl::unexpected<protocol::error> refuse_faults(std::string_view given,
                                              const std::string& why) {
  return fail(errc::usage,
              "--faults: " + why + ", in \"" + shorten(given) + '"', "faults");
}

std::string known_kinds() {
  std::string all;
  for (const auto word : protocol::fault_words)
    all += (all.empty() ? "" : ", ") + std::string{word};
  return all;
}

/// `crash=0.01,kill=0.1`
result<fault_spec> read_fault_list(std::string_view given) {
  fault_rates rates;
  std::vector<std::string_view> named;
  for (std::size_t at = 0; at <= given.size();) {
    const auto end = std::min(given.find(',', at), given.size());
    const auto one = given.substr(at, end - at);
    at = end + 1;
    const auto equals = std::min(one.find('='), one.size());
    const auto word = one.substr(0, equals);
    const auto number = one.substr(std::min(equals + 1, one.size()));
    double rate = -1;
    const auto* const last = number.data() + number.size();
    const auto [read_to, failed] = std::from_chars(number.data(), last, rate);
    if (failed != std::errc{} || read_to != last || !(rate >= 0 && rate <= 1))
      return refuse_faults(given, "give each kind with its rate from 0 to 1, "
                                  "as in crash=0.01,kill=0.1");
    const auto kind = from_word<fault_kind>(word);
    if (std::ranges::find(named, word) != named.end())
      return refuse_faults(given, '"' + shorten(word) + "\" is there twice");
    named.push_back(word);
    if (word == "all")
      rates.of.fill(rate);
    else if (kind)
      rates.of.at(static_cast<std::size_t>(*kind)) = rate;
    else
      return refuse_faults(given, "unknown kind \"" + shorten(word) + '"'
                                    + suggest(word, protocol::fault_words)
                                    + "; write all, " + known_kinds());
  }
  return fault_spec{.rates = rates};
}

json::value number_of(const actors::distribution& from) {
  using shape = actors::distribution::shape;
  switch (from.kind) {
    case shape::uniform:
      return {{"uniform", {{"min", from.low}, {"max", from.high}}}};
    case shape::lognormal:
      return {{"lognormal", {{"median", from.low}, {"p99", from.high}}}};
    default:
      return from.low;
  }
}

} // namespace

bool fault_spec::asks_for(fault_kind kind) const noexcept {
  if (script)
    return std::ranges::find(*script, kind, &fault_turn::fault)
           != script->end();
  return random ? *random > 0
                : rates && rates->of.at(static_cast<std::size_t>(kind)) > 0;
}

result<fault_spec> read_faults(std::string_view given) {
  if (given == "random")
    return fault_spec{.random = random_rate};
  if (given.starts_with('{')) {
    auto made = parse_relaxed_json(given).and_then(read_fault_json);
    if (!made)
      made.error().message = "--faults: " + made.error().message;
    return made;
  }
  if (given.find('=') != given.npos)
    return read_fault_list(given);
  return read_fault_file(std::string{given});
}

json::object encode_script(const std::vector<fault_turn>& script,
                           const fault_spec& like) {
  json::array turns;
  for (const auto& one : script)
    turns.push_back({{"fault", protocol::to_word(one.fault)}, {"at", one.at}});
  return {{"script", std::move(turns)},
          {"delay_ms", number_of(like.delay_ms)},
          {"away_ms", number_of(like.away_ms)},
          {"clock_jump_ms", like.clock_jump_ms},
          {"segment_bytes", like.segment_bytes},
          {"keep_bytes", like.keep_bytes}};
}

} // namespace convene::host
