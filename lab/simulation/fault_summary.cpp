#include <convene/lab/simulation/fault_summary.hpp>

#include <cstdint>
#include <utility>

namespace convene::host {

namespace json = boost::json;

json::object summarise_faults(const fault_spec& asked,
                              const std::vector<seed_outcome>& all) {
  json::object struck;
  json::array missing;
  for (std::size_t i = 0; i < fault_kinds; ++i) {
    const auto kind = static_cast<fault_kind>(i);
    if (!asked.asks_for(kind))
      continue;
    std::uint64_t times = 0;
    std::uint64_t seeds = 0;
    for (const auto& one : all) {
      times += one.faults.at(i);
      seeds += one.faults.at(i) != 0 ? 1 : 0;
    }
    struck.emplace(protocol::to_word(kind),
                   json::object{{"times", times}, {"seeds", seeds}});
    if (times == 0)
      missing.emplace_back(protocol::to_word(kind));
  }
  json::object sometimes;
  for (std::size_t i = 0; i < reached_states; ++i) {
    std::uint64_t seeds = 0;
    for (const auto& one : all)
      seeds += one.reached.test(i) ? 1 : 0;
    sometimes.emplace(protocol::reached_words.at(i), seeds);
  }
  return {{"struck", std::move(struck)},
          {"missing", std::move(missing)},
          {"sometimes", std::move(sometimes)}};
}

} // namespace convene::host
