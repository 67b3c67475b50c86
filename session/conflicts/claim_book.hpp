#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/requests/request.hpp>

#include <map>
#include <optional>
#include <vector>

namespace convene::session {

/// The most claims in a session at one time.
inline constexpr std::size_t claims_max = 10'000;

/// Who has the exclusive right to write which resources, and until when.
class claim_book {
public:
  struct claim {
    participant_index holder = no_participant;
    protocol::timestamp_ms expires_at = 0;
  };

  /// The holder, or `no_participant`.
  [[nodiscard]] participant_index holder(const resource_name& what) const;

  /// Gives the resource to `to`, whoever held it.
  void take(const resource_name& what, const claim& to);
  void release(const resource_name& what);

  /// The first claim that has expired.
  [[nodiscard]] std::optional<resource_key> expired(protocol::timestamp_ms now);

  [[nodiscard]] std::vector<resource_key> held_by(participant_index who) const;

  /// When the next claim expires, or earlier.
  [[nodiscard]] std::optional<protocol::timestamp_ms> earliest() const;

  [[nodiscard]] std::size_t size() const noexcept {
    return claims_.size();
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [claims, earliest] = x;
    f("claims", claims);
    f.time("earliest", earliest);
  }

private:
  struct by_name {
    using is_transparent = void;

    bool operator()(const auto& a, const auto& b) const noexcept {
      const std::string_view type{a.type};
      const auto order = type.compare(b.type);
      return order < 0
             || (order == 0 && std::string_view{a.id} < std::string_view{b.id});
    }
  };

  std::map<resource_key, claim, by_name> claims_;
  protocol::timestamp_ms earliest_ = 0; ///< a lower bound
};

} // namespace convene::session
