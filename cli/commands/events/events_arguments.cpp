#include <convene/cli/commands/events/events_arguments.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <sstream>

namespace convene::cli {
namespace {

using namespace convene::protocol;

auto usage(std::string_view option, std::string_view wants,
           std::string_view found) {
  return fail({.code = errc::usage,
               .message = fmt::format("{} takes {}", option, wants),
               .value = shorten(found)});
}

result<void> read_time(std::string_view option, const std::string& text,
                       std::optional<timestamp_ms>& into) {
  if (text.empty())
    return {};
  into = parse_timestamp(text);
  if (!into)
    return usage(option, "a time such as 2026-01-31T12:00:00Z", text);
  return {};
}

/// Whether this is the beginning of a UUID.
bool may_be_cut(std::string_view id) {
  return id.size() < 36
         && id.find_first_not_of("0123456789abcdefABCDEF-") == id.npos;
}

/// Types and families are words, which have no commas.
void split_at_commas(std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const auto& list : words) {
    std::istringstream from{list};
    for (std::string word; std::getline(from, word, ',');)
      if (!word.empty())
        all.push_back(std::move(word));
  }
  words = std::move(all);
}

/// `7`, `3-7` or `3-`.
result<void> read_turns(std::string_view text, host::event_filter& into) {
  const auto number = [](std::string_view digits) {
    std::optional<std::int64_t> value{0};
    const auto* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, *value);
    if (error != std::errc{} || stop != end || *value < 0)
      value.reset();
    return value;
  };
  const auto dash = text.find('-');
  into.first_turn = number(text.substr(0, dash));
  if (dash == text.npos)
    into.last_turn = into.first_turn;
  else if (dash + 1 < text.size())
    into.last_turn = number(text.substr(dash + 1));
  else
    into.last_turn = std::numeric_limits<std::int64_t>::max();
  if (!into.first_turn || !into.last_turn || *into.first_turn > *into.last_turn)
    return usage("--turn", "a number or a range such as 3-7 or 3-", text);
  return {};
}

} // namespace

void declare(const command_line& command, events_arguments& into) {
  command.add("LOG", into.log).required();
  command.add("--session", into.session);
  command.add("--type", into.filter.types);
  command.add("--family", into.filter.families);
  command.add("--participant", into.filter.participants);
  command.add("--from", into.from);
  command.add("--to", into.to);
  command.add("--turn", into.turn);
  command.add("--after", into.cursor);
  command.add("--limit", into.limit, whole_number(1));
  command.add("--follow", into.follow);
  command.add("--jsonl", into.lines);
  command.add("--salvage", into.salvage);
}

result<events_arguments> complete(events_arguments arguments,
                                  const common_options& common) {
  auto& filter = arguments.filter;
  if (!arguments.session.empty()) {
    filter.session = parse_uuid(arguments.session);
    // A session has the UUID that its Collab's id becomes.
    if (!filter.session && !may_be_cut(arguments.session))
      filter.session = parse_uuid(strict_id(arguments.session));
    if (!filter.session)
      return usage("--session",
                   "a whole id: 36 characters, or as the Collab has it",
                   arguments.session);
  }
  split_at_commas(filter.types);
  split_at_commas(filter.families);
  if (auto ok = read_time("--from", arguments.from, filter.from); !ok)
    return fail(std::move(ok).error());
  if (auto ok = read_time("--to", arguments.to, filter.to); !ok)
    return fail(std::move(ok).error());
  if (!arguments.turn.empty())
    if (auto ok = read_turns(arguments.turn, filter); !ok)
      return fail(std::move(ok).error());
  if (!arguments.cursor.empty()) {
    const auto cursor = host::parse_cursor(arguments.cursor);
    if (!cursor)
      return fail(cursor.error());
    arguments.after = *cursor;
  }
  if (arguments.lines && common.json)
    return fail(errc::usage, "--json and --jsonl exclude each other");
  const bool narrows = filter.session || !filter.types.empty()
                       || !filter.families.empty()
                       || !filter.participants.empty() || filter.from
                       || filter.to || filter.first_turn || arguments.after
                       || arguments.limit || arguments.follow
                       || arguments.lines;
  if (narrows && !arguments.salvage.empty())
    return fail(errc::usage, "--salvage takes the whole log: it goes with "
                             "--json and --quiet alone");
  return arguments;
}

} // namespace convene::cli
