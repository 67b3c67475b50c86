#include <boost/json/array.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/data/documents/pack_contents.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <utility>

namespace convene::host::pack {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view protocol_version = "1.0.0";

json::array artifacts_in(const checksums& all) {
  json::array names;
  for (const auto& [name, sum] : all)
    if (name.starts_with(artifacts))
      names.emplace_back(name);
  return names;
}

/// SHA-256 of the protocol's embedded files, one after another, in the order of
/// their paths.
std::string schemas_digest() {
  digest all;
  for (const auto& each : schemas::all())
    if (each.path.starts_with("v2/"))
      all.add(each.text);
  return all.finish_hex();
}

json::object manifest_of(const contents& of) {
  auto made = manifest_of_version_1(of);
  made["evidence_pack"] = version;
  made["mplp_protocol_version"] = protocol_version;
  made["pack_version"] = "1.0"; // of the Lab's contract
  made["pack_id"] = to_string(protocol::hashed_uuid(
    "pack:" + of.verdict + of.files.at(std::string{timeline})));
  made["created_at"] = of.events.ended_at;
  made["scenario_id"] = of.events.session;
  made["substrate"] = "convene";
  json::array included;
  for (const auto& name : artifacts_in(of.files))
    included.emplace_back(fs::path{name.as_string().c_str()}.stem().string());
  made["artifacts_included"] = std::move(included);
  if (!of.files.contains("artifacts/plan.json"))
    made["golden_flows_not_applicable"] = {"gf-01"};
  return made;
}

json::object pointers_of(const contents& of) {
  json::array all;
  for (const auto& each : of.events.found)
    all.push_back({{"requirement_id", each.requirement},
                   {"artifact_path", timeline},
                   {"locator", "event_id:" + each.event_id},
                   {"status", "PRESENT"}});
  return {{"pointers", std::move(all)}};
}

json::object bundle_of(const contents& of) {
  const auto shows = [&of](std::string_view requirement) {
    return std::ranges::find(of.events.found, requirement,
                             &evidence::requirement)
           != of.events.found.end();
  };
  json::array domains;
  for (const auto* domain : {"D1", "D2", "D3", "D4"})
    if (shows("RQ-" + std::string{domain} + "-01"))
      domains.emplace_back(domain);
  json::array scope;
  for (const auto& [name, sum] : of.files)
    scope.emplace_back(name);
  return {{"run_id", of.events.session},
          {"pack_root", "."},
          {"ruleset_ref", "ruleset-1.3"},
          {"protocol_pin", protocol_version},
          {"schema_bundle_sha256", schemas_digest()},
          {"hash_scope", std::move(scope)},
          {"reason_code", nullptr},
          {"scenario_meta",
           {{"domains", std::move(domains)},
            {"privileged_action", shows("RQ-D3-01")},
            {"termination_case", shows("RQ-D4-01")}}}};
}

} // namespace

contents sum_up(const fs::path& folder, const std::vector<std::string>& names) {
  contents made;
  digest verdict;
  for (const auto& name : names) {
    digest own;
    const auto read = visit_bytes(folder / name, [&](std::string_view piece) {
      own.add(piece);
      if (name.starts_with(artifacts))
        verdict.add(piece);
      if (name == timeline)
        made.events.events
          += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
    });
    if (read)
      made.files.emplace(name, own.finish_hex());
  }
  made.verdict = verdict.finish_hex();
  return made;
}

std::vector<derived_file> derived_files(const contents& of) {
  std::vector<derived_file> made{{manifest, manifest_of(of)}};
  if (!of.events.found.empty()) {
    made.push_back({pointers, pointers_of(of)});
    made.push_back({bundle, bundle_of(of)});
  }
  return made;
}

json::object manifest_of_version_1(const contents& of) {
  return {{"evidence_pack", 1},
          {"protocol_version", protocol_version},
          {"artifacts", artifacts_in(of.files)},
          {"timeline", timeline},
          {"events", of.events.events},
          {"verdict_hash", of.verdict}};
}

} // namespace convene::host::pack
