#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/rewrite.hpp>

#include <span>
#include <string>
#include <string_view>

// What rewriting documents and rewriting events have in common.

namespace convene::protocol {

namespace json = boost::json;

struct rewriting {
  rewrite_purpose purpose;
  std::size_t ordinal;
  reading_notes& notes;

  [[nodiscard]] bool exporting() const noexcept {
    return purpose == rewrite_purpose::exporting;
  }
};

/// One spelling that is taken as another.
struct respelling {
  std::string_view from;
  std::string_view to;
};

/// Gives members that have the name on the left the one on the right, in their
/// places, unless there is such a member already. True: some have changed.
bool rename_members(const rewriting& r, json::object& in,
                    const std::string& pointer,
                    std::span<const respelling> names);

/// Replaces the member's text, if it is one on the left.
bool replace_word(const rewriting& r, json::object& in,
                  const std::string& pointer, std::string_view name,
                  std::span<const respelling> words);

/// Adds a member that the schema wants and the document lacks.
void add_member(const rewriting& r, json::object& in,
                const std::string& pointer, std::string_view name,
                json::value value);

/// A document of one of the ten modules.
void rewrite_document(const rewriting& r, json::object& document,
                      std::string_view schema);

/// An event, of a log or by itself.
[[nodiscard]] official_form rewrite_event(const rewriting& r,
                                          json::object event);

/// An event of another system (L4) that carries its `source`: it becomes the
/// payload of a core event (C-28).
[[nodiscard]] official_form rewrite_integration(const rewriting& r,
                                                json::object event,
                                                std::string_view schema);

/// Times in the spellings that the official validator takes and RFC 3339 does
/// not, as that has them (C-34): a space for the `T`, `+08` or `+0800` for
/// `+08:00`, and UTC where there is no zone.
void rewrite_times(json::value& what, std::string_view schema,
                   reading_notes& notes);

/// `map.turn.dispatched` for MAPTurnDispatched (C-17).
[[nodiscard]] std::string dotted(std::string_view event_type);

} // namespace convene::protocol
