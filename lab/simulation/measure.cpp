#include <boost/system/error_code.hpp>
#include <convene/lab/simulation/measure_expression.hpp>

#include <cmath>

namespace convene::host {
namespace {

namespace json = boost::json;
using kind = measure_expression::kind;

std::optional<double> number_in(const json::value* found) {
  if (found == nullptr || !found->is_number())
    return std::nullopt;
  return found->to_number<double>();
}

std::optional<double> member_of(const json::object& result,
                                const std::vector<std::string>& path) {
  const auto* at = &result;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto* inner = at->if_contains(path[i]);
    at = inner == nullptr ? nullptr : inner->if_object();
    if (at == nullptr)
      return std::nullopt;
  }
  return number_in(at->if_contains(path.back()));
}

std::optional<double> value_of(const session::workspace_view& from,
                               const std::vector<std::string>& texts) {
  const auto* found = from.find({texts[0], texts[1]});
  if (found == nullptr || found->deleted)
    return std::nullopt;
  boost::system::error_code none;
  return number_in(
    found->value.find_pointer(texts.size() > 2 ? texts[2] : "", none));
}

double version_of(const session::workspace_view& from,
                  const std::vector<std::string>& texts) {
  const auto* found = from.find({texts[0], texts[1]});
  return found == nullptr ? 0 : static_cast<double>(found->version);
}

double versions_of(const session::workspace_view& from,
                   const std::string& type) {
  std::uint64_t all = 0;
  for (const auto& one : from.changes(0))
    if (one->key->type == type)
      all += one->version;
  return static_cast<double>(all);
}

std::optional<double> joined(kind how, double a, double b) {
  switch (how) {
    case kind::sum:
      return a + b;
    case kind::difference:
      return a - b;
    case kind::product:
      return a * b;
    default:
      break;
  }
  if (b == 0)
    return std::nullopt;
  return a / b;
}

std::optional<double> finite(std::optional<double> number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

} // namespace

std::optional<double>
measure_expression::of(const measured_session& from) const {
  switch (what) {
    case kind::number:
      return value;
    case kind::member:
      return member_of(from.result, texts);
    case kind::events: {
      const auto found = from.events.find(texts[0]);
      return found == from.events.end() ? 0.0
                                        : static_cast<double>(found->second);
    }
    case kind::value:
      return value_of(from.workspace, texts);
    case kind::version:
      return version_of(from.workspace, texts);
    case kind::versions:
      return versions_of(from.workspace, texts[0]);
    default:
      break;
  }
  const auto first = parts[0].of(from);
  if (!first)
    return std::nullopt;
  if (what == kind::negated)
    return -*first;
  if (what == kind::rounded_down)
    return std::floor(*first);
  const auto second = parts[1].of(from);
  return second ? finite(joined(what, *first, *second)) : std::nullopt;
}

std::optional<double> measure::of(const measured_session& from) const {
  return what->of(from);
}

} // namespace convene::host
