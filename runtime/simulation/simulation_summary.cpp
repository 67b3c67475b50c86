#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/simulation/simulation_summary.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace convene::host {
namespace {

namespace json = boost::json;

using reasons = std::map<std::string, std::uint64_t>;

json::object failure_of(const seed_outcome& one) {
  json::array findings;
  for (const auto& found : one.findings.first)
    findings.push_back({{"rule", found.rule},
                        {"line", found.line},
                        {"message", protocol::sanitize_utf8(found.message)}});
  return {{"seed", one.seed},
          {"findings_total", one.findings.total},
          {"findings", std::move(findings)}};
}

std::string digest_of_all(const std::vector<seed_outcome>& all) {
  std::string bytes;
  bytes.reserve(all.size() * std::tuple_size_v<decltype(seed_outcome::digest)>);
  for (const auto& one : all)
    bytes.append(one.digest.begin(), one.digest.end());
  return protocol::hex_of(protocol::sha256(bytes));
}

} // namespace

json::object summarise(const simulation& what,
                       const std::vector<seed_outcome>& all) {
  std::map<collab_status, reasons> ended;
  std::map<collab_status, std::uint64_t> count;
  std::size_t failed = 0;
  json::array failures;
  for (const auto& one : all) {
    if (one.has_ended) {
      ++ended[one.status][one.condition];
      ++count[one.status];
    }
    if (one.has_failed() && ++failed <= failures_told_max)
      failures.push_back(failure_of(one));
  }
  json::object outcomes;
  for (const auto& [status, by_condition] : ended) {
    json::object counts;
    for (const auto& [condition, seeds] : by_condition)
      counts.emplace(condition, seeds);
    outcomes.emplace(protocol::to_word(status), std::move(counts));
  }
  return {{"seeds",
           {{"first", what.first}, {"last", what.last}, {"run", all.size()}}},
          {"completed", count[collab_status::completed]},
          {"cancelled", count[collab_status::cancelled]},
          {"failed", failed},
          {"outcomes", std::move(outcomes)},
          {"digest", digest_of_all(all)},
          {"failures", std::move(failures)}};
}

} // namespace convene::host
