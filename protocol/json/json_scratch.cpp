#include <convene/protocol/json/json_scratch.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

// A mould keeps the room of the longest texts that it has taken in each place,
// so it is made anew once it has taken this much.
constexpr std::size_t taken_bytes_max = std::size_t{1} << 20;
constexpr std::size_t text_bytes_max = std::size_t{16} << 10;
constexpr std::size_t kinds_max = 16;
constexpr std::size_t moulds_max = 2; // of a kind

/// A kind that has all its moulds gets a new one, and loses the oldest, when no
/// mould has taken this many texts of it.
constexpr std::size_t misses_between = 16;

} // namespace

result<const json::value*> json_scratch::parse(std::string_view text,
                                               std::string_view kind) {
  auto* const known = text.size() > text_bytes_max ? nullptr
                                                   : spelling_of(kind);
  if (known != nullptr) {
    std::erase_if(known->moulds, [](const auto& mould) {
      return mould->taken_bytes() > taken_bytes_max;
    });
    for (auto mould = known->moulds.rbegin(); mould != known->moulds.rend();
         ++mould)
      if ((*mould)->take(text))
        return &(*mould)->value();
  }
  auto parsed = parse_json(text);
  if (!parsed)
    return fail(std::move(parsed).error());
  if (known == nullptr
      || (known->moulds.size() == moulds_max
          && ++known->misses % misses_between != 0))
    return &value_.emplace(*std::move(parsed));
  if (known->moulds.size() == moulds_max)
    known->moulds.erase(known->moulds.begin());
  known->moulds.push_back(std::make_unique<json_mould>(*std::move(parsed)));
  return &known->moulds.back()->value();
}

json_scratch::spelling* json_scratch::spelling_of(std::string_view kind) {
  const auto found = std::ranges::find(spellings_, kind, &spelling::kind);
  if (found != spellings_.end())
    return &*found;
  if (spellings_.size() == kinds_max)
    return nullptr;
  return &spellings_.emplace_back(spelling{std::string{kind}, {}});
}

} // namespace convene::protocol
