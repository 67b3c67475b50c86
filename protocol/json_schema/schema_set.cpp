#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/protocol/json_schema/metaschema.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>
#include <convene/protocol/json_schema/subschemas.hpp>
#include <convene/protocol/text/uri.hpp>

#include <charconv>

namespace convene::protocol {
namespace {

using namespace validation;

constexpr std::size_t depth_limit = 200;
/// The bytes of an id once it is resolved: each schema inside keeps it.
constexpr std::size_t id_limit = 2'048;

result<void> check_id(const std::string& uri) {
  if (uri.size() > id_limit)
    return fail(errc::limit_reached,
                "the id \"" + shorten(uri) + "\" has over "
                  + std::to_string(id_limit) + " bytes",
                "schema_id");
  return {};
}

std::string without_fragment(std::string_view uri) {
  return std::string{split_fragment(uri).resource};
}

const json::value* child(const json::value& parent, std::string_view token) {
  if (const auto* object = parent.if_object()) {
    std::string name;
    read_token(token, name);
    return object->if_contains(name);
  }
  const auto* array = parent.if_array();
  std::size_t index = 0;
  const auto* const end = token.data() + token.size();
  if (array == nullptr || std::from_chars(token.data(), end, index).ptr != end
      || token.empty())
    return nullptr;
  return array->if_contains(index);
}

/// Follows a JSON pointer; every `$id` on the way moves the base.
schema_place descend(schema_place from, std::string_view pointer) {
  while (!pointer.empty() && from.schema != nullptr) {
    pointer.remove_prefix(1);
    const auto token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    from.schema = child(*from.schema, token);
    if (from.schema == nullptr)
      break;
    from.base = base_within(*from.schema, from.base);
  }
  return from;
}

} // namespace

result<void> schema_set::add(std::string_view id, json::value schema) {
  if (!schema.is_object() && !schema.is_bool())
    return fail({.code = errc::invalid_document,
                 .message = "a schema is an object, true or false",
                 .file = std::string{id},
                 .value = shorten_value(schema)});
  const auto& owned = *documents_.emplace_back(
    std::make_unique<const json::value>(std::move(schema)));
  auto base = without_fragment(id);
  const auto* own_id = id_of(owned);
  if (own_id != nullptr) {
    const auto uri = without_fragment(resolve_uri(base, *own_id));
    if (auto fits = check_id(uri); !fits)
      return fits;
    if (!id.empty() && uri != base)
      if (auto done = put(base, owned, uri); !done)
        return done;
    base = uri;
  }
  if (auto done = put(base, owned, base); !done)
    return done;
  return index(owned, base, 0);
}

result<void> schema_set::add_text(std::string_view id, std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed)
    return fail(parsed.error());
  return add(id, std::move(*parsed));
}

result<void> schema_set::put(const std::string& uri, const json::value& schema,
                             const std::string& base) {
  const auto [at, is_new] = places_.try_emplace(uri,
                                                schema_place{&schema, base});
  if (!is_new && at->second.schema != &schema)
    return fail(errc::invalid_document,
                "two schemas have the id \"" + shorten(uri) + "\"",
                "duplicate_id");
  return {};
}

result<void> schema_set::index(const json::value& schema,
                               const std::string& base, std::size_t depth) {
  if (depth > depth_limit)
    return fail(errc::limit_reached, "a schema is nested over 200 deep",
                "schema_depth");
  const auto* object = schema.if_object();
  if (object == nullptr)
    return {};
  result<void> done;
  const auto inner = depth == 0 ? base : base_within(schema, base);
  const auto* id = id_of(schema);
  if (id != nullptr && depth != 0 && !is_reference(*object)) {
    const bool is_anchor = !split_fragment(*id).fragment.empty();
    const auto uri = is_anchor ? resolve_uri(base, *id) : inner;
    if (done = check_id(uri); done)
      done = put(uri, schema, inner);
    if (!done)
      return done;
  }
  for_each_subschema(*object, [&](const json::value& sub) {
    done = index(sub, inner, depth + 1);
    return done.has_value();
  });
  return done;
}

result<schema_place> schema_set::find(std::string_view base,
                                      std::string_view reference) const {
  const auto uri = resolve_uri(base, reference);
  const auto [resource, fragment] = split_fragment(uri);
  const auto pointer = percent_decoded(fragment);
  const bool is_anchor = !pointer.empty() && pointer[0] != '/';
  schema_place place;
  if (auto at = places_.find(is_anchor ? std::string_view{uri} : resource);
      at != places_.end())
    place = at->second;
  else if (resource == metaschema_uri && !is_anchor)
    place = {&metaschema(), std::string{metaschema_uri}};
  if (place.schema != nullptr && !is_anchor)
    place = descend(place, pointer);
  if (place.schema == nullptr)
    return fail({.code = errc::invalid_document,
                 .message = "no schema at \"" + shorten(uri) + "\"",
                 .rule = "unresolved_ref",
                 .value = shorten(reference)});
  return place;
}

} // namespace convene::protocol
