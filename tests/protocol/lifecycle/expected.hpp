#pragma once

#include <catch2/catch.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convene::tests {

using namespace convene::protocol;

using words = std::set<std::string>;

/// What the protocol says, spelled out here once more: each status, and those
/// that it may become. The first line of each says where objects begin.
struct expected_table {
  std::string name;
  std::string begins;
  std::vector<std::pair<std::string, std::string>> moves;
};

inline const std::vector<expected_table> expected{
  {"context",
   "draft active",
   {{"draft", "active closed"},
    {"active", "suspended archived"},
    {"suspended", "active closed"},
    {"archived", "closed"},
    {"closed", ""}}},
  {"plan",
   "draft",
   {{"draft", "proposed cancelled"},
    {"proposed", "approved draft"},
    {"approved", "in_progress"},
    {"in_progress", "completed failed cancelled"},
    {"completed", ""},
    {"failed", ""},
    {"cancelled", ""}}},
  {"step",
   "pending",
   {{"pending", "in_progress blocked skipped"},
    {"blocked", "pending"},
    {"in_progress", "completed failed"},
    {"completed", ""},
    {"skipped", ""},
    {"failed", ""}}},
  {"confirm",
   "pending",
   {{"pending", "approved rejected cancelled"},
    {"approved", ""},
    {"rejected", ""},
    {"cancelled", ""}}},
  {"trace",
   "pending",
   {{"pending", "running cancelled"},
    {"running", "completed failed cancelled"},
    {"completed", ""},
    {"failed", ""},
    {"cancelled", ""}}},
  {"segment",
   "pending",
   {{"pending", "running skipped"},
    {"running", "completed failed cancelled"},
    {"completed", ""},
    {"failed", ""},
    {"cancelled", ""},
    {"skipped", ""}}},
  {"dialog",
   "active",
   {{"active", "paused completed cancelled"},
    {"paused", "active cancelled"},
    {"completed", ""},
    {"cancelled", ""}}},
  {"collab",
   "draft",
   {{"draft", "active cancelled"},
    {"active", "suspended completed cancelled"},
    {"suspended", "active cancelled"},
    {"completed", ""},
    {"cancelled", ""}}},
  {"extension",
   "registered",
   {{"registered", "active"},
    {"active", "inactive deprecated"},
    {"inactive", ""},
    {"deprecated", ""}}},
  {"core",
   "draft",
   {{"draft", "active"},
    {"active", "deprecated"},
    {"deprecated", "archived"},
    {"archived", ""}}},
  {"network",
   "draft",
   {{"draft", "provisioning"},
    {"provisioning", "active"},
    {"active", "degraded maintenance retired"},
    {"degraded", "active"},
    {"maintenance", "active"},
    {"retired", ""}}},
  {"node",
   "active inactive degraded unreachable",
   {{"active", "inactive degraded unreachable retired"},
    {"inactive", "active degraded unreachable retired"},
    {"degraded", "active inactive unreachable retired"},
    {"unreachable", "active inactive degraded retired"},
    {"retired", ""}}},
  {"core_module",
   "enabled disabled experimental deprecated",
   {{"enabled", "disabled experimental deprecated"},
    {"disabled", "enabled experimental deprecated"},
    {"experimental", "enabled disabled deprecated"},
    {"deprecated", "enabled disabled experimental"}}},
  {"role", "", {}},
};

inline words words_in(const std::string& line) {
  words all;
  std::string word;
  for (const char c : line + ' ')
    if (c != ' ')
      word += c;
    else if (!word.empty())
      all.insert(std::exchange(word, {}));
  return all;
}

inline const lifecycle& table(const std::string& name) {
  const auto* found = find_lifecycle(name);
  REQUIRE(found != nullptr);
  return *found;
}

inline constexpr std::string_view an_id
  = "5f3c3a7e-9a37-4b8e-8a0f-6a8f0b1c2d3e";

inline result<lifecycle_events> ask(const lifecycle& of, std::string_view from,
                                    std::string_view to,
                                    const lifecycle_policy& policy = {}) {
  return transition(
    of, {.id = an_id, .from = from, .to = to, .holds = precondition_set::all()},
    policy);
}

} // namespace convene::tests
