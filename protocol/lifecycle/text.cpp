#include <convene/protocol/lifecycle/record.hpp>
#include <convene/protocol/lifecycle/text.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

/// Whether no way leads out in the default reading.
bool is_final_state(const lifecycle& of, std::string_view word) {
  return std::ranges::none_of(of.moves, [&](const lifecycle_move& move) {
    return move.from == word && applies(move.reading, {});
  });
}

/// The types of the events that the move has, in their order.
std::vector<std::string> events_of(const lifecycle& of,
                                   const lifecycle_move& move) {
  lifecycle_events events;
  if (move.by_initial)
    for (const auto& one : of.moves)
      if ((one.from.empty() && one.to == of.initial)
          || (one.from == of.initial && one.to == move.to))
        record_move(of, one, {.from = one.from, .to = one.to}, events);
  if (!move.by_initial)
    record_move(of, move, {.from = move.from, .to = move.to}, events);
  std::vector<std::string> types;
  for (const auto& event : events)
    types.push_back(event.type);
  return types;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& one : all)
    text.append(text.empty() ? "" : ", ").append(one);
  return text;
}

std::string needs_text(const lifecycle_move& move) {
  std::vector<std::string> all;
  for (const auto one : members_of(move.needs))
    all.emplace_back(to_word(one));
  if (const auto reading = reading_text(move.reading); !reading.empty())
    all.emplace_back(reading);
  return joined(all);
}

json::value or_null(std::string_view text) {
  return text.empty() ? json::value{} : json::value(text);
}

} // namespace

std::vector<precondition> members_of(const precondition_set& all) {
  std::vector<precondition> found;
  for (std::size_t i = 0; i < words_of<precondition>.size(); ++i)
    if (const auto one = static_cast<precondition>(i); all.has(one))
      found.push_back(one);
  return found;
}

std::string_view reading_text(row_reading reading) noexcept {
  switch (reading) {
    case row_reading::always:
      break;
    case row_reading::extensions_return:
      return "with extensions_return";
    case row_reading::one_round:
      return "without several_rounds";
    case row_reading::native_words:
      return "with native_words";
  }
  return {};
}

std::string lifecycle_text(const lifecycle& of) {
  const std::string name{of.name};
  std::string out = "## " + name + "\n\n";
  if (of.states.empty())
    return out + "Has no status. Created: " + std::string{of.created}
           + "; changed: " + name + "_updated, both graph_update.\n";
  out += "| status | stage | final |\n|---|---|---|\n";
  for (const auto& state : of.states) {
    out.append("| ").append(state.word);
    if (!state.alias.empty())
      out.append(" (with native_words also ").append(state.alias).append(")");
    if (const auto reading = reading_text(state.reading); !reading.empty())
      out.append(" (").append(reading).append(")");
    out.append(" | ").append(state.stage);
    out.append(is_final_state(of, state.word) ? " | yes |\n" : " | |\n");
  }
  out += "\n| from | to | by | needs | events |\n|---|---|---|---|---|\n";
  for (const auto& move : of.moves)
    out.append("| ")
      .append(move.from)
      .append(" | ")
      .append(move.to)
      .append(" | ")
      .append(move.trigger)
      .append(" | ")
      .append(needs_text(move))
      .append(" | ")
      .append(joined(events_of(of, move)))
      .append(" |\n");
  return out;
}

json::object lifecycle_json(const lifecycle& of) {
  json::array states;
  for (const auto& state : of.states)
    states.push_back({{"status", state.word},
                      {"stage", or_null(state.stage)},
                      {"alias", or_null(state.alias)},
                      {"final", is_final_state(of, state.word)},
                      {"reading", or_null(reading_text(state.reading))}});
  json::array moves;
  for (const auto& move : of.moves) {
    json::array needs;
    for (const auto one : members_of(move.needs))
      needs.push_back(json::value(to_word(one)));
    json::array events;
    for (const auto& type : events_of(of, move))
      events.push_back(json::value(type));
    moves.push_back({{"from", or_null(move.from)},
                     {"to", move.to},
                     {"by", move.trigger},
                     {"needs", std::move(needs)},
                     {"events", std::move(events)},
                     {"reading", or_null(reading_text(move.reading))}});
  }
  return {{"name", of.name},
          {"module", to_word(of.owner)},
          {"id_member", of.id_member},
          {"initial", or_null(of.initial)},
          {"states", std::move(states)},
          {"moves", std::move(moves)}};
}

} // namespace convene::protocol
