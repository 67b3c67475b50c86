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

/// A schema's location: the value, and the base URI of its relative references.
struct schema_place {
  const json::value* schema = nullptr;
  std::string base;
};

/// Schemas (draft-07) that may refer to each other by `$id`. Nothing is
/// fetched: references resolve only to added schemas or the draft-07
/// meta-schema, which every set contains. Move-only; compiled schemas do not
/// need the set.
class schema_set {
public:
  /// Adds a schema under `id` (a URI or a path), its root `$id`, and the `$id`s
  /// inside it. With an empty `id`, only the `$id`s count. Refuses an id
  /// already in use (rule `duplicate_id`), a `$id` of over 2,048 bytes once it
  /// is resolved (`schema_id`), nesting over 200 (`schema_depth`) and anything
  /// but an object or a boolean.
  [[nodiscard]] result<void> add(std::string_view id, json::value schema);

  /// Like `add`, for JSON text as read by `parse_json`.
  [[nodiscard]] result<void> add_text(std::string_view id,
                                      std::string_view text);

  /// Resolves `reference` (a URI, with or without a fragment that is a JSON
  /// pointer or an anchor) against `base`. Rule `unresolved_ref` if there is no
  /// such schema.
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
