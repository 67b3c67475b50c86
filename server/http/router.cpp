#include <convene/server/http/router.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace convene::server {

router::router(routes endpoints) : routes_{std::move(endpoints)} {
  for (const auto& one : routes_) {
    auto& pattern = patterns_.emplace_back();
    auto rest = std::string_view{one.pattern}.substr(1);
    for (;;) {
      const auto text = rest.substr(0, rest.find('/'));
      const auto end = text.find('}');
      if (text.starts_with('{') && end != text.npos)
        pattern.push_back({.literal = std::string{text.substr(end + 1)},
                           .name = std::string{text.substr(1, end - 1)}});
      else
        pattern.push_back({.literal = std::string{text}, .name = {}});
      if (text.size() == rest.size())
        break;
      rest.remove_prefix(text.size() + 1);
    }
  }
}

int router::fit(const segment& one, std::string_view text) {
  if (one.name.empty())
    return text == one.literal ? 2 : -1;
  if (text.size() <= one.literal.size() || !text.ends_with(one.literal))
    return -1;
  return one.literal.empty() ? 0 : 1;
}

router::found router::find(std::string_view method,
                           const std::vector<std::string>& segments) const {
  found out;
  std::vector<int> best;
  std::vector<int> rank;
  std::size_t nearest = 0;
  std::size_t chosen = 0;
  for (std::size_t index = 0; index < routes_.size(); ++index) {
    const auto& pattern = patterns_[index];
    const auto most = std::min(pattern.size(), segments.size());
    std::size_t fitting = 0;
    while (fitting < most && fit(pattern[fitting], segments[fitting]) >= 0)
      ++fitting;
    const auto& to = routes_[index];
    if (fitting > nearest) {
      nearest = fitting;
      out.errors = to.errors;
    }
    if (fitting != pattern.size() || fitting != segments.size())
      continue;
    rank.clear();
    for (std::size_t at = 0; at < fitting; ++at)
      rank.push_back(fit(pattern[at], segments[at]));
    if (rank < best)
      continue;
    if (best < rank) {
      best = rank;
      out.methods.clear();
      out.to = nullptr;
    }
    out.methods.insert(to.method);
    out.errors = to.errors;
    if (to.method == method || (to.method == "GET" && method == "HEAD")) {
      out.to = &to;
      chosen = index;
    }
  }
  if (out.to != nullptr)
    for (std::size_t at = 0; at < segments.size(); ++at)
      if (const auto& one = patterns_[chosen][at]; !one.name.empty())
        out.parameters[one.name]
          = segments[at].substr(0, segments[at].size() - one.literal.size());
  if (out.methods.contains("GET"))
    out.methods.insert("HEAD");
  return out;
}

} // namespace convene::server
