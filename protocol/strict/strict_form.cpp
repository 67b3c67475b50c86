#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/strict/alias_ids.hpp>
#include <convene/protocol/strict/edits.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/rewrite.hpp>
#include <convene/protocol/strict/shape.hpp>
#include <convene/protocol/strict/strict_form.hpp>
#include <convene/protocol/strict/unmapped_members.hpp>

#include <utility>

namespace convene::protocol {
namespace {

namespace json = boost::json;

/// What has the name of our own place in an event is only kept by an edit.
/// `made` is for an event that has such members; others are not copied.
const json::value& without_residue(const json::value& native,
                                   json::value& made) {
  const auto* object = native.if_object();
  if (object == nullptr || !object->contains("event_type")
      || (!object->contains("native")
          && !object_of(*object, "payload").contains("native")))
    return native;
  auto copy = *object;
  copy.stable_erase("native");
  if (auto* payload = copy.if_contains("payload"))
    if (auto* members = payload->if_object())
      members->stable_erase("native");
  made = std::move(copy);
  return made;
}

/// Puts the native spelling of the ids that a reader of one event looks for
/// beside its family (C-17a).
void keep_native_ids(const json::object& native, json::object& strict) {
  auto* payload = strict.if_contains("payload");
  auto* home = payload == nullptr || !payload->is_object()
                 ? nullptr
                 : payload->get_object().if_contains("native");
  if (home == nullptr || !home->is_object())
    return;
  const auto keep = [home](std::string_view name, const json::object& from,
                           const json::object& to) {
    const auto before = text_of(from, name);
    if (!before.empty() && before != text_of(to, name))
      home->get_object()[name] = before;
  };
  keep("session_id", native, strict);
  keep("role_id", object_of(native, "payload"), payload->get_object());
}

result<void> check(const json::value& what, std::string_view schema,
                   const std::string& pointer) {
  const auto compiled = embedded_schema(schema);
  if (!compiled)
    return fail(compiled.error());
  auto found = validate(*compiled, what, {.violations_max = 1});
  if (found.valid)
    return {};
  if (found.violations.empty())
    return fail({.code = errc::limit_reached,
                 .message = "takes too long to validate",
                 .pointer = pointer,
                 .rule = std::string{to_word(found.limit)}});
  auto& first = found.violations.front();
  return fail({.code = errc::invalid_document,
               .message = "the strict form would be no valid "
                          + std::string{schema} + ": expected "
                          + first.expected,
               .pointer = pointer + first.instance_pointer,
               .rule = first.keyword,
               .value = first.actual});
}

/// Whether there is nothing wrong with the input, so that a fault in what came
/// of it is ours.
bool is_valid_natively(const json::value& native, std::string_view schema) {
  for (const auto name : {std::string_view{"convene-native-event"}, schema})
    if (const auto compiled = embedded_schema(name);
        compiled && validate(*compiled, native).valid)
      return true;
  return false;
}

result<void> keep_differences(const json::value& native,
                              const alias_table& aliases, official_form& form) {
  if (difference(unfold(form.value, aliases).value, native).empty())
    return {};
  auto* home = unmapped_members_of(form.value, form.schema);
  if (home == nullptr)
    return fail(
      {.code = errc::invalid_document,
       .message = "must be an array or an object",
       .pointer = is_module_schema(form.schema) ? "/events" : "/payload",
       .rule = "type"});
  // Making the place changed what unfolding gives; the place stays where it is.
  auto edits = difference(unfold(form.value, aliases).value, native);
  if (!edits.empty())
    home->insert_or_assign("edits", std::move(edits));
  return {};
}

} // namespace

void collect_ids(const json::value& native, std::size_t ordinal,
                 alias_table& aliases) {
  reading_notes ignored;
  json::value made;
  auto form = rewrite(without_residue(native, made), rewrite_purpose::exporting,
                      ordinal, ignored);
  collect_aliases(form.value, official_shape(form.schema), aliases);
  if (!form.payload_schema.empty())
    collect_aliases(form.value.at("payload"),
                    official_shape(form.payload_schema), aliases);
}

result<strict_form> to_strict(const json::value& native, std::size_t ordinal,
                              const alias_table& aliases,
                              reading_notes& notes) {
  json::value made;
  auto form = rewrite(without_residue(native, made), rewrite_purpose::exporting,
                      ordinal, notes);
  if (form.schema.empty())
    return fail({.code = errc::invalid_document,
                 .message = "the official schema cannot be determined",
                 .rule = "schema",
                 .value = shorten_value(native)});
  alias_ids(form.value, official_shape(form.schema), aliases, notes);
  drop_unknown(form.value, form.schema, notes);
  if (!form.payload_schema.empty()) {
    auto& payload = form.value.at("payload");
    alias_ids(payload, official_shape(form.payload_schema), aliases, notes);
    drop_unknown(payload, form.payload_schema, notes);
  }
  if (auto* event = form.value.if_object(); event->contains("event_type"))
    if (native.get_object().contains("event_type"))
      keep_native_ids(native.get_object(), *event);

  auto done = keep_differences(native, aliases, form).and_then([&form] {
    return check(form.value, form.schema, {});
  });
  if (done && !form.payload_schema.empty())
    done = check(form.value.at("payload"), form.payload_schema, "/payload");
  if (done)
    return strict_form{form.schema, std::move(form.value)};
  auto what = std::move(done).error();
  if (is_valid_natively(native, form.schema))
    what.code = errc::internal;
  return fail(std::move(what));
}

result<json::value> to_native(const json::value& strict,
                              const alias_table& aliases) {
  auto [value, edits] = unfold(strict, aliases);
  if (!edits.is_null())
    if (auto done = apply_edits(value, edits); !done)
      return fail(std::move(done).error());
  return std::move(value);
}

} // namespace convene::protocol
