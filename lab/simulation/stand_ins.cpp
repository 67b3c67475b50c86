#include <boost/json/serialize.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/recordings/recorded.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

tl::unexpected<protocol::error> refuse_stand_in(std::string_view text,
                                                const std::string& why) {
  return fail(errc::usage, "--stand-in " + std::string{text} + ": " + why,
              "stand_in");
}

/// The log's place is known once the scenario is: here, what is in the log does
/// not matter.
class unread_recordings final : public actors::behaviour_source {
public:
  result<std::unique_ptr<actors::behaviour>>
  make(std::string_view type, const boost::json::value& config,
       const actors::behaviour_setup& whose,
       std::string_view pointer) override {
    if (type != recorded_type)
      return std::unique_ptr<actors::behaviour>{};
    return read_recorded_settings(config, pointer).and_then([&](const auto&) {
      return actors::make_behaviour({{"type", "echo"}}, whose, pointer);
    });
  }
};

} // namespace

result<stand_in> parse_stand_in(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return refuse_stand_in(text, "give it as participant=behaviour");
  stand_in made{.participant_id = std::string{text.substr(0, equals)}};
  const auto behaviour = text.substr(equals + 1);
  if (behaviour.front() == '{') {
    auto parsed = parse_json(behaviour);
    if (!parsed)
      return refuse_stand_in(text, parsed.error().message);
    made.behaviour = *std::move(parsed);
  } else {
    made.behaviour = {{"type", behaviour}};
  }
  unread_recordings recorded;
  const auto tried = actors::make_behaviour(
    made.behaviour, {.participant_id = made.participant_id}, "", &recorded);
  if (tried)
    return made;
  const auto& why = tried.error();
  if (why.code == errc::unsupported)
    return refuse_stand_in(text, "it acts outside itself: give one that does "
                                 "not, such as simulated");
  return refuse_stand_in(text, why.pointer.empty()
                                 ? why.message
                                 : why.pointer + ": " + why.message);
}

std::string to_override(const stand_in& what) {
  std::string made = "behaviours.";
  for (const char c : what.participant_id) {
    if (std::string_view{".=\\"}.find(c) != std::string_view::npos)
      made += '\\';
    made += c;
  }
  return made + '=' + boost::json::serialize(what.behaviour);
}

result<void> check_nobody_outside(const session::spec& what) {
  const auto& all = what.collab.participants;
  constexpr std::size_t named_max = 10;
  unread_recordings recorded;
  std::size_t missing = 0;
  std::string named;
  std::string example;
  for (const auto& who : all) {
    const auto made = actors::behaviour_for(what, who, 0, &recorded);
    if (made || made.error().code != errc::unsupported)
      continue;
    if (++missing > named_max)
      continue;
    const auto id = shorten(who.participant_id);
    named += (named.empty() ? "" : ", ") + id + " (" + made.error().rule + ')';
    if (example.empty())
      example = id;
  }
  if (missing == 0)
    return {};
  if (missing > named_max)
    named += " and " + std::to_string(missing - named_max) + " more";
  return fail({.code = errc::activation_refused,
               .message = "a simulation never calls who acts outside of the "
                          "session: "
                          + named
                          + "; say who answers instead, as in "
                            "--stand-in "
                          + example + "=simulated",
               .pointer = "/behaviours",
               .rule = "stand_in_missing"});
}

} // namespace convene::host
