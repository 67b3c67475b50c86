#include <convene/modes/catalog.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <support/rig.hpp>
#include <transcripts/transcript.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace convene::test {
namespace {

namespace json = protocol::json;

[[noreturn]] void refuse(const std::string& why) {
  throw std::runtime_error{why};
}

template <class T>
T good(protocol::result<T>&& from) {
  if (!from)
    refuse(to_string(from.error()));
  return *std::move(from);
}

bool is_id(std::string_view text) {
  return protocol::parse_uuid(text).has_value();
}

/// Gives ids short names, in the order in which they appear.
class short_names {
public:
  std::string operator()(const std::string& id) {
    const auto [found, is_new] = names_.try_emplace(id);
    if (is_new) {
      found->second = "#" + std::to_string(names_.size());
      ids_.emplace(found->second, id);
    }
    return found->second;
  }

  [[nodiscard]] const std::string& id(const std::string& name) const {
    const auto found = ids_.find(name);
    if (found == ids_.end())
      refuse("nothing is called " + name);
    return found->second;
  }

private:
  std::map<std::string, std::string> names_;
  std::map<std::string, std::string> ids_;
};

/// A session that is played, and what it does in words.
class stage {
public:
  /// One input, by its command. Returns its effects.
  std::string feed(const transcript_step& step) {
    std::istringstream words{step.command};
    std::string verb;
    words >> verb;
    if (verb == "start")
      return start(words, step.json);
    if (!bench_)
      refuse("the first input is start");
    const auto rest = [&] {
      std::string text;
      std::getline(words >> std::ws, text);
      return text;
    };
    const auto who = [&] {
      std::string name;
      words >> name;
      return bench_->index(name);
    };
    using namespace session;
    if (verb == "pass") {
      bench_->now += std::stoll(rest());
      return feed(tick{});
    }
    if (verb == "answer") {
      const auto from = who();
      const auto token = token_for(from, rest());
      return feed(session::answer{
        from, token, good(protocol::decode_reply(value(step.json)))});
    }
    if (verb == "write" || verb == "claim") {
      const auto from = who();
      const auto token = token_for(from, rest());
      const auto* member = verb == "write" ? "writes" : "claim";
      auto said = good(protocol::decode_reply(
        json::object{{member, json::array{value(step.json)}}}));
      if (verb == "write")
        return feed(write_attempt{from, token, std::move(said.writes.at(0))});
      return feed(claim_attempt{from, token, std::move(said.claim.at(0))});
    }
    if (verb == "begin") {
      const auto from = who();
      const auto number = attempt(words);
      return feed(action_begins{from, token_for(from, rest()),
                                good(protocol::decode_action(value(step.json))),
                                number});
    }
    if (verb == "end") {
      const auto from = who();
      std::string position;
      words >> position;
      const auto number = attempt(words);
      return feed(
        action_ends{from, token_for(from, rest()), position, number,
                    good(protocol::decode_action_result(value(step.json)))});
    }
    if (verb == "lose") {
      const auto gone = who();
      return feed(participant_down{gone, rest()});
    }
    if (verb == "back")
      return feed(participant_up{who()});
    if (verb == "suspend")
      return feed(suspend{rest()});
    if (verb == "message") {
      std::string name;
      words >> name;
      const auto from = name == "-" ? no_participant : bench_->index(name);
      return feed(message{from, rest()});
    }
    if (verb == "resume")
      return feed(resume{});
    if (verb == "cancel")
      return feed(cancel{rest()});
    if (verb == "stop")
      return feed(stop{rest()});
    if (verb == "fault")
      return feed(fault{rest()});
    if (verb == "fork")
      return feed(forked{});
    if (verb == "verdict") {
      std::string name;
      std::string holds;
      words >> name >> holds;
      return feed(verdict{name, holds == "true", rest(), {}});
    }
    refuse("no input is called " + verb);
  }

  played_transcript close(std::string text) const {
    return {.text = std::move(text),
            .lines = bench_->lines,
            .policy = policy_,
            .ending = bench_->ending()};
  }

private:
  /// The number of an attempt, if the command goes on with one.
  static std::uint32_t attempt(std::istringstream& words) {
    std::uint32_t number = 1;
    if (std::isdigit((words >> std::ws).peek()) != 0)
      words >> number;
    return number;
  }

  /// `start <mode> <participant>...`, with members of a scenario.
  std::string start(std::istringstream& words, const std::string& text) {
    words >> policy_;
    std::vector<std::string> names;
    for (std::string name; words >> name;)
      names.push_back(name);
    const auto* policy = modes::find(policy_);
    const auto mode = protocol::from_word<protocol::mode>(policy_).value_or(
      protocol::mode::swarm);
    if (policy == nullptr)
      refuse("no mode is called " + policy_);
    auto scenario = encode(make_spec(mode, names));
    scenario.erase("session");
    const auto members = value(text);
    for (const auto& member : members.as_object())
      scenario.insert_or_assign(member.key(), member.value());
    if (auto* steps = scenario.if_contains("plan"))
      *steps = protocol::encode(plan_of(steps->as_array()));
    json::array roles;
    if (auto* given = scenario.if_contains("roles"))
      roles = std::exchange(*given, json::array{}).as_array();
    auto what = good(session::decode_spec(scenario));
    for (const auto& each : roles)
      what.roles.push_back(role_of(each.as_object(), what.roles.size()));
    for (auto& p : what.collab.participants)
      if (p.participant_id.starts_with("person"))
        p.kind = protocol::participant_kind::human;
    bench_.emplace(std::move(what), *policy);
    began_ = bench_->now;
    return feed(session::start{});
  }

  /// A Role as {"name": "role-a", "capabilities": ["note.write"]}.
  static protocol::role role_of(const json::object& from, std::size_t number) {
    protocol::role made{.role_id = id(200 + number),
                        .name = std::string{protocol::text_of(from, "name")},
                        .capabilities = texts{}};
    for (const auto& each : from.at("capabilities").as_array())
      made.capabilities->emplace_back(std::string_view{each.as_string()});
    return made;
  }

  /// Steps as [{"description": ..., "role": ..., "after": [0]}].
  static protocol::plan plan_of(const json::array& steps) {
    std::vector<test::step> all;
    for (const auto& each : steps) {
      const auto& from = each.as_object();
      test::step made{.description
                      = std::string{protocol::text_of(from, "description")},
                      .role = std::string{protocol::text_of(from, "role")}};
      if (const auto* after = from.if_contains("after"))
        for (const auto& position : after->as_array())
          made.after.push_back(position.to_number<unsigned>());
      all.push_back(std::move(made));
    }
    return make_plan(all);
  }

  /// JSON in which names of ids stand for the ids.
  [[nodiscard]] json::value value(const std::string& text) const {
    auto made = text.empty() ? json::value(json::object{})
                             : good(protocol::parse_json(text));
    put_ids(made);
    return made;
  }

  void put_ids(json::value& in) const {
    if (auto* text = in.if_string(); text != nullptr && text->starts_with("#"))
      in = names_.id(std::string{*text});
    else if (auto* array = in.if_array())
      for (auto& each : *array)
        put_ids(each);
    else if (auto* object = in.if_object())
      for (auto& member : *object)
        put_ids(member.value());
  }

  /// The token that is named, or else that of what `who` was asked last.
  [[nodiscard]] protocol::uuid token_for(session::participant_index who,
                                         const std::string& name) const {
    if (name == "forged")
      return {1, 2};
    if (!name.empty())
      return *protocol::parse_uuid(names_.id(name));
    const auto found = bench_->open.find(who);
    return found == bench_->open.end() ? protocol::uuid{} : found->second.token;
  }

  std::string feed(decltype(session::input::what) what) {
    const auto asked = bench_->asked.size();
    const auto told = bench_->notices.size();
    const bool was_over = !bench_->ending().empty();
    std::string made;
    for (const auto& each : bench_->feed(std::move(what)))
      made += "log   " + show(each) + "\n";
    for (auto i = asked; i < bench_->asked.size(); ++i)
      made += "ask   " + show(bench_->asked[i]) + "\n";
    for (auto i = told; i < bench_->notices.size(); ++i) {
      const auto& note = bench_->notices[i];
      made += "tell  " + id_of(note.to) + " " + note.what + " "
              + names_(to_string(note.token))
              + (note.position.empty() ? "" : " at " + note.position) + ": "
              + note.reason + "\n";
    }
    if (!was_over && !bench_->ending().empty())
      made += "end   " + bench_->ending() + "\n";
    return made;
  }

  [[nodiscard]] std::string id_of(session::participant_index who) const {
    return bench_->machine().spec().collab.participants[who].participant_id;
  }

  std::string show(const event& what) {
    // The stages of the Confirm, beside these, say what becomes of it.
    if (what.type == "confirm_added" || what.type == "decision_added")
      return what.type;
    // Of a turn, what the input says is left out; of an action, it is all.
    const auto& came = what.type == "action_ended"
                         ? show("result.",
                                protocol::object_of(what.payload, "result"))
                         : std::string{};
    return what.type + show({}, what.payload) + came;
  }

  /// " name=value" for each member, " name.member=value" for those inside.
  std::string show(const std::string& prefix, const json::object& members) {
    std::string made;
    for (const auto& member : members) {
      if (is_noise(member.key()) || is_nothing(member.value()))
        continue;
      const auto name = prefix + std::string{member.key()};
      if (const auto* inside = member.value().if_object();
          inside != nullptr && name != "write" && name != "value")
        made += show(name + ".", *inside);
      else
        made += " " + name + "=" + show(member.key(), member.value());
    }
    return made;
  }

  /// What the input says, what follows from the scenario, or what is the same
  /// in every session.
  static bool is_noise(std::string_view name) {
    return name == "spec" || name == "title" || name == "purpose"
           || name == "session_key" || name == "context_id"
           || name == "assignments" || name == "reply" || name == "response"
           || name == "result" || name == "output_summary"
           || name == "dialog_id" || name == "trace_id"
           || name.ends_with("_roles") || name.ends_with("role_id");
  }

  /// Usage that is none.
  static bool is_nothing(const json::value& what) {
    const auto* object = what.if_object();
    return object != nullptr && std::ranges::all_of(*object, [](auto& each) {
             return each.value() == json::value(0);
           });
  }

  std::string show(std::string_view name, const json::value& what) {
    if (const auto* text = what.if_string()) {
      if (name.ends_with("_at"))
        if (const auto at = protocol::parse_timestamp(*text))
          return "+" + std::to_string(*at - began_);
      const auto short_text = shortened(std::string{*text});
      const bool plain
        = is_id(*text)
          || (!text->empty()
              && short_text.find_first_of(" \"=#") == std::string::npos);
      return plain ? short_text : json::serialize(json::value(short_text));
    }
    return json::serialize(shortened(what));
  }

  /// With names for all ids in it.
  std::string shortened(std::string text) {
    constexpr std::size_t length = 36;
    for (std::size_t i = 0; i + length <= text.size(); ++i)
      if (const auto part = text.substr(i, length); is_id(part))
        text.replace(i, length, names_(part));
    return text;
  }

  json::value shortened(json::value what) {
    if (auto* text = what.if_string()) {
      what = shortened(std::string{*text});
    } else if (auto* array = what.if_array()) {
      for (auto& each : *array)
        each = shortened(std::move(each));
    } else if (auto* object = what.if_object()) {
      for (auto& member : *object)
        member.value() = shortened(std::move(member.value()));
    }
    return what;
  }

  std::string show(const session::delivery& asked) {
    static constexpr std::string_view kinds[]{"turn", "broadcast", "decision",
                                              "vote", "escalation"};
    const auto& what = asked.what;
    std::string made = id_of(asked.to) + " "
                       + std::string{kinds[static_cast<unsigned>(what.kind)]}
                       + " " + names_(to_string(what.token));
    const auto add = [&](std::string_view name, const std::string& value) {
      if (!value.empty())
        made += " " + std::string{name} + "=" + show(name, json::value(value));
    };
    add("duty", what.duty);
    add("step", what.step_id);
    add("task", what.task);
    made += " until +" + std::to_string(what.expires_at - began_);
    if (what.kind == session::request_kind::decision) {
      const auto& view = *what.decide;
      for (const auto& each : view.also_closed)
        add("closed", id_of(each.participant) + " " + each.status);
      if (view.last_participant != session::no_participant)
        add("closed", id_of(view.last_participant) + " " + view.last_status);
      for (const auto& each : view.ready)
        add("ready", each.step_id);
      add("refused", view.refused);
    }
    for (const auto& side : what.conflict->sides)
      add("side", (side.participant == session::no_participant
                     ? std::string{"nobody"}
                     : id_of(side.participant))
                    + ": "
                    + (side.deleted ? "deleted" : json::serialize(side.value)));
    return made;
  }

  std::optional<rig> bench_;
  std::string policy_;
  protocol::timestamp_ms began_ = 0;
  short_names names_;
};

} // namespace

std::vector<transcript_step> read_transcript(const std::string& text) {
  std::vector<transcript_step> steps;
  std::istringstream file{text};
  transcript_step next;
  bool in_effects = false;
  const auto finish = [&] {
    if (!in_effects && !next.command.empty())
      refuse("there is no ---- after: " + next.command);
    if (in_effects)
      steps.push_back(std::exchange(next, {}));
    in_effects = false;
  };
  for (std::string line; std::getline(file, line);) {
    if (line.empty() && (in_effects || next.command.empty())) {
      finish();
      if (!next.lines.empty())
        next.lines += "\n";
    } else if (line == "----") {
      in_effects = true;
    } else if (in_effects) {
      next.effects += line + "\n";
    } else {
      next.lines += line + "\n";
      if (line.starts_with("#"))
        continue;
      if (next.command.empty())
        next.command = line;
      else
        next.json += line + "\n";
    }
  }
  finish();
  if (steps.empty())
    refuse("there is no input");
  return steps;
}

played_transcript play(const std::vector<transcript_step>& steps) {
  stage on;
  std::string text;
  for (const auto& step : steps) {
    text += text.empty() ? "" : "\n";
    text += step.lines + "----\n";
    try {
      text += on.feed(step);
    } catch (const std::exception& bad) {
      refuse(step.command + ": " + bad.what());
    }
  }
  return on.close(std::move(text));
}

} // namespace convene::test
