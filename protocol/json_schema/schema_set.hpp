#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// Where a schema stands: the value, and the URI that its relative references
/// start from.
struct schema_place {
  const json::value* schema = nullptr;
  std::string base;
};

/// Schemas (draft-07) that may refer to each other, by `$id`. Nothing is
/// fetched: a reference finds what was added, or the draft-07 meta-schema,
/// which every set holds. Move-only; compiled schemas do not need the set.
class schema_set {
public:
  /// Adds a schema under `id` (a URI or a path), its root `$id`, and the
  /// `$id`s inside it. An empty `id` leaves the root `$id`. Refuses an id
  /// that is taken (rule `duplicate_id`), nesting over 200 (`schema_depth`)
  /// and what is neither object nor boolean.
  [[nodiscard]] result<void> add(std::string_view id, json::value schema);

  /// The same for JSON text, as `parse_json` reads it.
  [[nodiscard]] result<void> add_text(std::string_view id,
                                      std::string_view text);

  /// Resolves `reference` (a URI, with or without a fragment that is a JSON
  /// pointer or an anchor) against `base`. Rule `unresolved_ref` when nothing
  /// is there.
  [[nodiscard]] result<schema_place> find(std::string_view base,
                                          std::string_view reference) const;

private:
  result<void> index(const json::value& schema, const std::string& base,
                     std::size_t depth);
  result<void> put(const std::string& uri, const json::value& schema,
                   const std::string& base);

  std::vector<std::unique_ptr<const json::value>> documents_;
  std::map<std::string, schema_place, std::less<>> places_;
};

} // namespace convene::protocol
