#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/invariants/rule_set.hpp>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace convene::protocol {

/// What rules need to know of other documents than the one they look at: the
/// values that `eq(path)` compares with, who may orchestrate, and of which
/// versions of the protocol they are. Kept of each document that is added,
/// instead of the document.
class related_documents {
public:
  /// Values that are kept; more is errc::limit_reached, rule
  /// `related_values_max`.
  static constexpr std::size_t related_values_max = 1'000'000;

  explicit related_documents(const rule_set& rules);

  /// Takes note of a document.
  [[nodiscard]] result<void> add(invariant_scope scope,
                                 const json::value& document);

  /// Whether a document of that kind has been added.
  [[nodiscard]] bool has(invariant_scope scope) const noexcept;

  /// Whether a document has this value at the target.
  [[nodiscard]] bool has_value(std::size_t target,
                               const json::value& value) const;

  /// What a Role says of those who have it.
  enum class leads : std::uint8_t { no, by_name, by_capability };

  /// Looks up a Role by its id or its name. `no` also: there is none.
  [[nodiscard]] leads role_leads(std::string_view role) const;

  /// Whether a Role has this id or name.
  [[nodiscard]] bool knows_role(std::string_view role) const;

  /// The nearest of their first 1,000 words, for an error message; or nothing.
  [[nodiscard]] std::string suggest_role(std::string_view role) const;

  /// The versions of the protocol in the documents' `meta`, each with a kind of
  /// document that has it.
  [[nodiscard]] const std::map<std::string, invariant_scope>&
  protocol_versions() const noexcept {
    return versions_;
  }

private:
  std::vector<rule_target> targets_;
  std::vector<std::unordered_set<std::string>> values_; // by target
  std::array<bool, words_of<invariant_scope>.size()> seen_{};
  std::map<std::string, leads, std::less<>> roles_; // by id and by name
  std::map<std::string, invariant_scope> versions_;
  std::size_t kept_ = 0;
};

} // namespace convene::protocol
