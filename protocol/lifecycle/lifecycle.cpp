#include <convene/protocol/lifecycle/tables.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr const lifecycle* every[]{
  &tables::context, &tables::plan,        &tables::step, &tables::confirm,
  &tables::trace,   &tables::segment,     &tables::role, &tables::dialog,
  &tables::collab,  &tables::extension,   &tables::core, &tables::network,
  &tables::node,    &tables::core_module,
};

} // namespace

std::span<const lifecycle* const> all_lifecycles() noexcept {
  return every;
}

const lifecycle* find_lifecycle(std::string_view name) noexcept {
  const auto* found = std::ranges::find(every, name, &lifecycle::name);
  return found == std::end(every) ? nullptr : *found;
}

const lifecycle& find_lifecycle(module which) noexcept {
  return *find_lifecycle(to_word(which));
}

bool applies(row_reading reading, const lifecycle_policy& policy) noexcept {
  switch (reading) {
    case row_reading::always:
      return true;
    case row_reading::extensions_return:
      return policy.extensions_return;
    case row_reading::one_round:
      return !policy.several_rounds;
    case row_reading::native_words:
      return policy.native_words;
  }
  return false;
}

const lifecycle_state* find_state(const lifecycle& of, std::string_view word,
                                  const lifecycle_policy& policy) noexcept {
  const auto fits = [&](const lifecycle_state& state) {
    const bool named = state.word == word
                       || (policy.native_words && !word.empty()
                           && state.alias == word);
    return named && applies(state.reading, policy);
  };
  const auto found = std::ranges::find_if(of.states, fits);
  return found == of.states.end() ? nullptr : &*found;
}

const lifecycle_move* find_move(const lifecycle& of, std::string_view from,
                                std::string_view to,
                                const lifecycle_policy& policy) noexcept {
  const auto fits = [&](const lifecycle_move& move) {
    return move.from == from && move.to == to && applies(move.reading, policy);
  };
  const auto found = std::ranges::find_if(of.moves, fits);
  return found == of.moves.end() ? nullptr : &*found;
}

std::vector<std::string_view> next_statuses(const lifecycle& of,
                                            std::string_view from,
                                            const lifecycle_policy& policy) {
  std::vector<std::string_view> all;
  for (const auto& move : of.moves)
    if (move.from == from && applies(move.reading, policy))
      all.push_back(move.to);
  return all;
}

std::vector<std::string_view>
find_route(const lifecycle& of, std::string_view from, std::string_view to,
           const lifecycle_policy& policy) {
  // Breadth first; `seen` keeps for each status from which one it was found.
  struct step {
    std::string_view at;
    std::size_t before;
  };
  std::vector<step> seen{{from, 0}};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i != 0 && seen[i].at == to) {
      std::vector<std::string_view> route;
      for (auto back = i; back != 0; back = seen[back].before)
        route.push_back(seen[back].at);
      std::ranges::reverse(route);
      return route;
    }
    for (const auto next : next_statuses(of, seen[i].at, policy))
      if (std::ranges::find(seen, next, &step::at) == seen.end())
        seen.push_back({next, i});
  }
  return {};
}

} // namespace convene::protocol
