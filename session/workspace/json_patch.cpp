#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/workspace/json_patch.hpp>
#include <convene/session/workspace/json_place.hpp>
#include <convene/session/workspace/size.hpp>

#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

class patching {
public:
  explicit patching(json::value& what) : root_(what) {
    // nop
  }

  result<void> apply(const json::value& operation) {
    const auto* members = operation.if_object();
    if (members == nullptr)
      return fail(errc::invalid_document, "an operation is an object",
                  "patch_syntax");
    const auto op = protocol::text_of(*members, "op");
    auto path = place_in(*members, "path");
    if (!path)
      return fail(std::move(path).error());
    if (op == "remove")
      return take(*path).map([](const json::value&) {});
    if (op == "add" || op == "replace" || op == "test") {
      const auto* value = members->if_contains("value");
      if (value == nullptr)
        return fail(errc::invalid_document, "the operation needs a value",
                    "patch_syntax");
      if (op == "test")
        return test(*path, *value);
      return op == "add" ? add(*path, *value) : replace(*path, *value);
    }
    if (op != "move" && op != "copy")
      return fail(errc::invalid_document,
                  "no operation is called " + protocol::quote(op),
                  "patch_syntax");
    auto from = place_in(*members, "from");
    if (!from)
      return fail(std::move(from).error());
    return op == "move" ? move(*from, *path) : copy(*from, *path);
  }

private:
  static result<json_place> place_in(const json::object& members,
                                     std::string_view name) {
    const auto* text = members.if_contains(name);
    if (text == nullptr || !text->is_string())
      return fail(errc::invalid_document,
                  "the operation needs a text `" + std::string{name} + "`",
                  "patch_syntax");
    return parse_pointer(text->get_string());
  }

  static tl::unexpected<protocol::error> nothing_there() {
    return fail(errc::not_allowed, "the place is not in the value",
                "patch_place");
  }

  /// Counts what is about to be copied or moved.
  result<void> spend(std::size_t work) {
    work_ += work;
    if (work_ > patch_work_max)
      return fail(errc::limit_reached,
                  "the patch copies and moves too much of the value",
                  "patch_work_max");
    return {};
  }

  /// The array or object that holds the place, or null.
  json::value* holder(const json_place& at) {
    return find(root_, at, at.size() - 1);
  }

  result<void> add(const json_place& at, json::value value) {
    if (at.empty()) {
      root_ = std::move(value);
      return {};
    }
    auto* within = holder(at);
    if (within == nullptr)
      return nothing_there();
    if (auto* object = within->if_object()) {
      object->insert_or_assign(at.back(), std::move(value));
      return {};
    }
    auto* array = within->if_array();
    if (array == nullptr)
      return nothing_there();
    const auto index = at.back() == "-" ? array->size()
                                        : array_index(at.back());
    if (!index || *index > array->size())
      return nothing_there();
    if (auto allowed = spend(array->size() - *index); !allowed)
      return allowed;
    array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index),
                  std::move(value));
    return {};
  }

  result<void> replace(const json_place& at, const json::value& value) {
    auto* there = find(root_, at, at.size());
    if (there == nullptr)
      return nothing_there();
    *there = value;
    return {};
  }

  result<void> test(const json_place& at, const json::value& value) {
    const auto* there = find(root_, at, at.size());
    if (there == nullptr)
      return nothing_there();
    if (!protocol::same_value(*there, value))
      return fail(errc::not_allowed, "the place has another value",
                  "patch_test");
    return {};
  }

  /// Removes what is at a place and hands it out.
  result<json::value> take(const json_place& at) {
    if (at.empty())
      return std::exchange(root_, nullptr);
    auto* there = find(root_, at, at.size());
    if (there == nullptr)
      return nothing_there();
    auto taken = std::move(*there);
    auto* within = holder(at);
    if (auto* object = within->if_object()) {
      object->erase(at.back());
      return taken;
    }
    auto& array = within->get_array();
    const auto index = *array_index(at.back());
    if (auto allowed = spend(array.size() - index); !allowed)
      return fail(std::move(allowed).error());
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
  }

  result<void> move(const json_place& from, const json_place& to) {
    const bool into_itself = from.size() < to.size()
                             && std::equal(from.begin(), from.end(),
                                           to.begin());
    if (into_itself)
      return fail(errc::not_allowed, "a value cannot be moved into itself",
                  "patch_place");
    auto taken = take(from);
    if (!taken)
      return fail(std::move(taken).error());
    return add(to, *std::move(taken));
  }

  result<void> copy(const json_place& from, const json_place& to) {
    const auto* there = find(root_, from, from.size());
    if (there == nullptr)
      return nothing_there();
    const auto size = measure(*there);
    if (auto fits = check_fits(size); !fits)
      return fits;
    if (auto allowed = spend(size.bytes); !allowed)
      return allowed;
    return add(to, json::value(*there));
  }

  json::value& root_;
  std::size_t work_ = 0;
};

} // namespace

result<json::value> apply_patch(json::value to, const json::value& patch) {
  const auto* operations = patch.if_array();
  if (operations == nullptr)
    return fail(errc::invalid_document, "a patch is an array of operations",
                "patch_syntax");
  if (operations->size() > patch_operations_max)
    return fail(errc::limit_reached,
                "a patch has at most " + std::to_string(patch_operations_max)
                  + " operations",
                "patch_operations_max");
  patching work{to};
  for (std::size_t i = 0; i < operations->size(); ++i)
    if (auto done = work.apply((*operations)[i]); !done) {
      auto why = std::move(done).error();
      why.pointer = "/" + std::to_string(i);
      return fail(std::move(why));
    }
  return to;
}

} // namespace convene::session
