#include <convene/session/workspace/json_patch.hpp>
#include <convene/session/workspace/merge.hpp>
#include <convene/session/workspace/size.hpp>
#include <convene/session/workspace/write.hpp>

#include <utility>

namespace convene::session {
namespace {

using protocol::result;

result<json::value> value_of(const protocol::resource_write& what,
                             const json::value& base) {
  switch (what.op) {
    case protocol::write_op::merge:
      return merge_patch(base, what.value);
    case protocol::write_op::patch:
      return apply_patch(base, what.value);
    default:
      return what.value;
  }
}

} // namespace

std::size_t size_of(const written& what) {
  return what.value ? measure(*what.value).bytes : 0;
}

result<written> apply_write(const protocol::resource_write& what,
                            const resource* base) {
  static const json::value nothing;
  if (what.op == protocol::write_op::remove) {
    if (base == nullptr || base->deleted)
      return protocol::fail(protocol::errc::not_allowed,
                            "there is no such resource to delete",
                            "resource_absent");
    return written{};
  }
  auto made = value_of(what, base == nullptr ? nothing : base->value);
  if (!made)
    return protocol::fail(std::move(made).error());
  if (auto fits = check_fits(measure(*made)); !fits)
    return protocol::fail(std::move(fits).error());
  return written{*std::move(made)};
}

} // namespace convene::session
