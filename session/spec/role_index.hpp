#pragma once

#include <convene/session/spec/spec.hpp>

#include <string_view>
#include <unordered_map>

namespace convene::session {

/// A scenario's Roles by what they are referred to: id or name. The first of a
/// word counts. Points into the scenario, which must outlive it.
class role_index {
public:
  explicit role_index(const spec& what) {
    for (const auto& one : what.roles) {
      by_word_.emplace(one.role_id, &one);
      by_word_.emplace(one.name, &one);
    }
  }

  /// Null: no Role has this id or name.
  [[nodiscard]] const protocol::role* find(std::string_view word) const {
    const auto found = by_word_.find(word);
    return found == by_word_.end() ? nullptr : found->second;
  }

  /// The Role of a participant. Null: it has none.
  [[nodiscard]] const protocol::role*
  of(const protocol::participant& who) const {
    return who.role_id ? find(*who.role_id) : nullptr;
  }

private:
  std::unordered_map<std::string_view, const protocol::role*> by_word_;
};

} // namespace convene::session
