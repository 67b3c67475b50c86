#pragma once

#include "documents.hpp"

#include <algorithm>
#include <utility>

namespace convene::tests {

using types = std::vector<std::string>;

/// The types of the events of an accepted change; of a refused one, its rule.
inline types told(const result<lifecycle_events>& made) {
  if (!made)
    return {"refused: " + made.error().rule};
  types all;
  for (const auto& event : *made)
    all.push_back(event.type);
  return all;
}

inline types refused(std::string rule) {
  return {"refused: " + std::move(rule)};
}

/// A change of one document of a world in which everything else is there.
struct bench {
  explicit bench(module of) : which(of), before(make(of)), after(make(of)) {}

  /// The status before and after.
  bench& from(std::string_view status) {
    before["status"] = status;
    after["status"] = status;
    return *this;
  }
  bench& to(std::string_view status) {
    after["status"] = status;
    return *this;
  }
  /// A member, before and after.
  bench& with(std::string_view member, const json::value& value) {
    before[member] = value;
    after[member] = value;
    return *this;
  }
  bench& with(std::string_view member, const std::string& value) {
    return with(member, json::value(std::string_view{value}));
  }
  json::object& part(json::object& of, std::size_t i) const {
    constexpr std::pair<module, std::string_view> parts[]{
      {module::plan, "steps"},
      {module::trace, "segments"},
      {module::core, "modules"},
      {module::network, "nodes"},
      {module::collab, "participants"}};
    const auto* row = std::ranges::find(
      parts, which, &std::pair<module, std::string_view>::first);
    return of.at(row->second).as_array().at(i).as_object();
  }
  bench& parts(std::size_t i, std::string_view was, std::string_view now) {
    part(before, i)["status"] = was;
    part(after, i)["status"] = now;
    return *this;
  }

  [[nodiscard]] result<lifecycle_events> made() const {
    return check_change(which, &before, after, others.lookup(), policy);
  }
  [[nodiscard]] types told() const {
    return tests::told(made());
  }
  [[nodiscard]] types created() const {
    return tests::told(
      check_change(which, nullptr, after, others.lookup(), policy));
  }

  module which;
  json::object before;
  json::object after;
  all_documents others = full_world();
  lifecycle_policy policy = {};
};

inline bool has_rule(const types& all, std::string_view rule) {
  return all == refused(std::string{rule});
}

} // namespace convene::tests
