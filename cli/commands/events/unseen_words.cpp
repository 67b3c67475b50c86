#include <convene/cli/commands/events/unseen_words.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/line_search.hpp>

#include <algorithm>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// Distinct types that are remembered, to suggest one.
constexpr std::size_t seen_max = 1'000;

tl::unexpected<error> names_nothing(std::string message,
                                    const std::string& word) {
  return fail({.code = errc::usage,
               .message = std::move(message),
               .rule = "names_nothing",
               .value = shorten(word)});
}

std::string suggest_of(const std::string& word,
                       const std::set<std::string, std::less<>>& seen) {
  const std::vector<std::string_view> known{seen.begin(), seen.end()};
  return suggest(word, known);
}

} // namespace

unseen_words::unseen_words(const host::event_filter& filter,
                           const std::string& session)
  : filter_{filter}, session_{session},
    session_missing_{filter.session.has_value()},
    participants_{filter.participants.begin(), filter.participants.end()} {
  for (const auto& type : filter.types)
    if (!is_known_event_type(type))
      types_.insert(type);
  for (const auto& family : filter.families)
    if (!is_known_event_family(family))
      families_.insert(family);
}

void unseen_words::see(std::string_view event) {
  if (filter_.session && host::session_of(event) != *filter_.session)
    return;
  session_missing_ = false;
  if (!may_have_news(event))
    return;
  if (const auto read = parse_json(event); read && read->is_object())
    see_words(read->get_object());
}

/// Whether the event may name what is missing, or a word to suggest instead.
bool unseen_words::may_have_news(std::string_view event) const {
  const auto has_new = [event](std::string_view name, const words& missing,
                               const words& seen) {
    return !missing.empty()
           && (host::any_member(event, name,
                                [&](std::string_view value) {
                                  const auto word = host::plain_text(value);
                                  return !word || missing.contains(*word)
                                         || (seen.size() < seen_max
                                             && !seen.contains(*word));
                                })
               || host::may_hide_names(event));
  };
  return has_new("event_type", types_, types_seen_)
         || has_new("event_family", families_, families_seen_)
         || std::ranges::any_of(participants_, [event](const auto& id) {
              return host::may_have_string(event, id);
            });
}

void unseen_words::see_words(const json::object& event) {
  const auto see_word = [](std::string_view word, words& missing, words& seen) {
    if (const auto found = missing.find(word); found != missing.end())
      missing.erase(found);
    else if (!missing.empty() && seen.size() < seen_max)
      seen.emplace(word);
  };
  see_word(text_of(event, "event_type"), types_, types_seen_);
  see_word(text_of(event, "event_family"), families_, families_seen_);
  std::erase_if(participants_, [&](const std::string& id) {
    return host::event_filter{.participants = {id}}.matches(event);
  });
}

result<void> unseen_words::verdict() const {
  if (session_missing_)
    return names_nothing("--session: no event of this session is on the log",
                         session_);
  if (!types_.empty())
    return names_nothing("--type: no event of this type is on the log"
                           + suggest_of(*types_.begin(), types_seen_),
                         *types_.begin());
  if (!families_.empty())
    return names_nothing("--family: no event of this family is on the log"
                           + suggest_of(*families_.begin(), families_seen_),
                         *families_.begin());
  if (!participants_.empty())
    return names_nothing("--participant: no event on the log names this "
                         "participant",
                         *participants_.begin());
  return {};
}

} // namespace convene::cli
