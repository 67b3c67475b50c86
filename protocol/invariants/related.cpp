#include <boost/json/serialize.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/invariants/related.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

using leads = related_documents::leads;

leads read_role(const json::object& role) {
  const auto capabilities = texts_of(role, "capabilities");
  for (const std::string_view all : {"collab.orchestrate", "collab.*", "*"})
    if (std::ranges::find(capabilities, all) != capabilities.end())
      return leads::by_capability;
  return text_of(role, "name") == "orchestrator" ? leads::by_name : leads::no;
}

} // namespace

related_documents::related_documents(const rule_set& rules)
  : targets_{rules.targets().begin(), rules.targets().end()},
    values_(targets_.size()) {
  // nop
}

result<void> related_documents::add(invariant_scope scope,
                                    const json::value& document) {
  seen_[static_cast<std::size_t>(scope)] = true;
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i].scope == scope)
      if (const auto* value = find_value(targets_[i].path, document))
        kept_ += values_[i].insert(json::serialize(*value)).second ? 1 : 0;
  const auto* object = document.if_object();
  if (object != nullptr)
    if (const auto version = text_of(object_of(*object, "meta"),
                                     "protocol_version");
        !version.empty())
      kept_ += versions_.try_emplace(std::string{version}, scope).second ? 1
                                                                         : 0;
  if (scope == invariant_scope::role && object != nullptr)
    for (const auto* member : {"role_id", "name"})
      if (const auto name = text_of(*object, member); !name.empty()) {
        auto& known = roles_[std::string{name}];
        known = std::max(known, read_role(*object));
        ++kept_;
      }
  if (kept_ > related_values_max)
    return fail(errc::limit_reached,
                "more documents than rules between them are checked for; "
                "validate fewer at a time",
                "related_values_max");
  return {};
}

bool related_documents::has(invariant_scope scope) const noexcept {
  return seen_[static_cast<std::size_t>(scope)];
}

bool related_documents::has_value(std::size_t target,
                                  const json::value& value) const {
  return values_[target].contains(json::serialize(value));
}

bool related_documents::knows_role(std::string_view role) const {
  return roles_.contains(role);
}

std::string related_documents::suggest_role(std::string_view role) const {
  constexpr std::size_t words_max = 1'000;
  std::vector<std::string_view> words;
  for (const auto& [word, unused] : roles_)
    if (words.size() < words_max)
      words.push_back(word);
    else
      break;
  return suggest(role, words);
}

leads related_documents::role_leads(std::string_view role) const {
  const auto found = roles_.find(role);
  return found == roles_.end() ? leads::no : found->second;
}

} // namespace convene::protocol
