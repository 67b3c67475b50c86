#include <convene/actors/behaviours/factory.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/runtime/data/documents/check_scenario.hpp>
#include <convene/session/ending/ending.hpp>

#include <string>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

void add_refusal(error why, const place_finder& find, file_verdict& out) {
  const auto [line, column] = find(why.pointer);
  add_error(out, {.instance = std::move(why.pointer),
                  .keyword = why.rule,
                  .message = why.message,
                  .line = line,
                  .column = column});
}

} // namespace

void check_scenario(const json::value& scenario, const place_finder& find,
                    file_verdict& out) {
  const auto* whole = scenario.if_object();
  if (whole == nullptr)
    return;
  if (const auto* end = object_of(*whole, "session").if_contains("end");
      end != nullptr && end->is_object())
    if (auto made = session::make_ending(end->get_object(), "/session/end");
        !made)
      add_refusal(std::move(made).error(), find, out);
  for (const auto& [id, settings] : object_of(*whole, "behaviours")) {
    std::string pointer = "/behaviours";
    append_to_pointer(pointer, id);
    // That of an Extension, which is put in its place when a session starts.
    if (const auto* behaviour = settings.if_object();
        behaviour != nullptr && text_of(*behaviour, "type") == "extension")
      continue;
    auto made = actors::make_behaviour(settings, {}, pointer);
    // Types that reach outside, and functions, are for others to judge.
    if (!made
        && (made.error().code == errc::invalid_document
            || made.error().code == errc::limit_reached))
      add_refusal(std::move(made).error(), find, out);
  }
}

} // namespace convene::host
