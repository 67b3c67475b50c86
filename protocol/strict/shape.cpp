#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>
#include <convene/protocol/strict/shape.hpp>
#include <convene/protocol/text/uri.hpp>
#include <convene/schemas/catalog.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace convene::protocol {
namespace {

constexpr std::string_view uuid_pattern
  = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

/// The shapes asked for so far, with the schemas that they take.
class shape_book {
public:
  shape_book() {
    for (const auto& file : schemas::all())
      if (file.path.starts_with("v2/"))
        files_.emplace(schemas::name(file), official{&file});
  }

  const shape* find(std::string_view name) {
    const auto found = files_.find(name);
    if (found == files_.end())
      return nullptr;
    const std::scoped_lock guard{mutex_};
    auto& [file, made] = found->second;
    if (made == nullptr)
      made = make(*file);
    return made;
  }

private:
  struct official {
    const schemas::embedded_file* file = nullptr;
    const shape* made = nullptr; ///< null: not asked for so far
  };

  const shape* make(const schemas::embedded_file& file) {
    const auto root = locate(file.id, "");
    if (!root)
      return nullptr; // tests of the schemas would have said so
    const auto* made = make(*root);
    if (schemas::name(file) == "mplp-map-event")
      add_payload(*root);
    return made;
  }

  /// Where a reference leads; reads the schema that it leads to.
  std::optional<schema_place> locate(std::string_view base,
                                     std::string_view reference) {
    if (auto known = set_.find(base, reference))
      return *std::move(known);
    const auto target = validation::resolve_uri(base, reference);
    const auto* file
      = schemas::find(validation::split_fragment(target).resource);
    if (file == nullptr || !set_.add_text({}, file->text))
      return std::nullopt;
    auto place = set_.find(base, reference);
    return place ? std::optional{*std::move(place)} : std::nullopt;
  }

  // The official schemas refer to each other without cycles.
  const shape* make(const schema_place& at) {
    auto& known = made_[at.schema];
    if (known)
      return known.get();
    known = std::make_unique<shape>();
    auto& made = *known;
    const auto* schema = at.schema->if_object();
    if (schema == nullptr)
      return &made;
    if (const auto reference = text_of(*schema, "$ref"); !reference.empty()) {
      if (const auto target = locate(at.base, reference))
        made = *make(*target);
      return &made;
    }
    if (const auto* branches = schema->if_contains("allOf"))
      for (const auto& branch : branches->as_array())
        merge(made, *make({&branch, at.base}));
    shape own;
    read(*schema, at.base, own);
    merge(made, own);
    return &made;
  }

  void add_payload(const schema_place& map_event) {
    for (const auto& [name, value] :
         object_of(map_event.schema->get_object(), "$defs"))
      merge(payload_, *make({&value, map_event.base}));
    for (const auto* name :
         {"role_id", "receiver_role_id", "broadcaster_role_id"})
      payload_.members.insert_or_assign(name, &id_);
    assignment_.members.emplace("role_id", &id_);
    assignments_.items = &assignment_;
    payload_.members.emplace("assignments", &assignments_);
    made_.at(map_event.schema)->members.insert_or_assign("payload", &payload_);
  }

  void read(const json::object& schema, const std::string& base, shape& to) {
    if (schema.contains("enum") || schema.contains("const"))
      to.what = shape::kind::words;
    else if (text_of(schema, "pattern") == uuid_pattern
             || text_of(schema, "format") == "uuid")
      to.what = shape::kind::identity;
    else if (text_of(schema, "format") == "date-time")
      to.what = shape::kind::time;
    else if (text_of(schema, "type") == "string")
      to.what = shape::kind::text;
    else if (text_of(schema, "type") == "array")
      to.what = shape::kind::array;
    else if (text_of(schema, "type") == "object"
             || schema.contains("properties"))
      to.what = shape::kind::object;
    for (const auto& [name, value] : object_of(schema, "properties"))
      to.members.emplace(name, make({&value, base}));
    if (const auto* items = schema.if_contains("items"))
      to.items = make({items, base});
    if (const auto* more = schema.if_contains("additionalProperties"))
      to.closed = *more == false;
  }

  static void merge(shape& to, const shape& from) {
    if (from.what != shape::kind::any)
      to.what = from.what;
    to.closed = to.closed || from.closed;
    for (const auto& [name, member] : from.members)
      to.members.insert_or_assign(name, member);
    if (from.items != nullptr)
      to.items = from.items;
  }

  shape id_{.what = shape::kind::identity};
  shape payload_;
  shape assignments_;
  shape assignment_;
  schema_set set_;
  std::map<const json::value*, std::unique_ptr<shape>> made_;
  std::map<std::string_view, official> files_;
  std::mutex mutex_;
};

} // namespace

const shape* official_shape(std::string_view schema) {
  // Never destroyed: static objects may use it while the program ends.
  static auto& book = *new shape_book;
  return book.find(schema);
}

} // namespace convene::protocol
