#pragma once

#include <convene/server/http/route.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Finds the endpoint of a path. Of several that fit, the one with more
/// literal text counts, from the left.
class router {
public:
  explicit router(routes endpoints);

  struct found {
    const route* to = nullptr; ///< null: there is none of that method
    std::map<std::string, std::string, std::less<>> parameters;
    std::set<std::string, std::less<>> methods; ///< empty: there is no path
    /// How errors at that path look, endpoint or not.
    error_form errors = error_form::native;
  };

  /// `segments` are decoded.
  [[nodiscard]] found find(std::string_view method,
                           const std::vector<std::string>& segments) const;

  [[nodiscard]] const routes& all() const {
    return routes_;
  }

private:
  /// `sessions`, `{id}` or `{id}:fork`.
  struct segment {
    std::string literal; ///< the whole text, or the verb with its colon
    std::string name;    ///< empty: it is only literal
  };

  /// How well a segment of a path fits; negative: it does not.
  [[nodiscard]] static int fit(const segment& one, std::string_view text);

  routes routes_;
  std::vector<std::vector<segment>> patterns_;
};

} // namespace convene::server
