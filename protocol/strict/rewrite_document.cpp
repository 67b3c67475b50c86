#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/protocol/strict/shape.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array meta_names{respelling{"protocolVersion",
                                           "protocol_version"},
                                respelling{"source", "created_by"}};
constexpr std::array trace_words{respelling{"active", "running"}};
constexpr std::array confirm_words{respelling{"override", "approved"}};
constexpr std::array duty_words{
  respelling{"protocol-version", "protocol-versioning"}};

/// Members that `meta` has no place for become tags, which do have one.
void tag_unknown(json::object& meta) {
  const auto& known = official_shape("metadata")->members;
  json::array tags;
  if (const auto* there = array_in(meta, "tags"))
    tags = *there;
  const auto before = tags.size();
  for (const auto& member : meta) {
    if (known.contains(member.key()))
      continue;
    auto tag = std::string{member.key()} + ": ";
    if (const auto* text = member.value().if_string())
      tag += std::string_view{*text};
    else
      tag += shorten_value(member.value());
    if (std::ranges::find(tags, json::value(tag)) == tags.end())
      tags.emplace_back(tag);
  }
  if (tags.size() > before)
    meta["tags"] = std::move(tags);
}

void rewrite_meta(const rewriting& r, json::object& document) {
  auto* meta = object_in(document, "meta");
  if (meta == nullptr)
    return;
  rename_members(r, *meta, "/meta", meta_names);
  add_member(r, *meta, "/meta", "schema_version", "1.0.0");
  if (auto* duties = array_in(*meta, "cross_cutting"))
    for (std::size_t i = 0; i < duties->size(); ++i) {
      json::object one{{"duty", (*duties)[i]}};
      if (replace_word(r, one, "/meta/cross_cutting/" + std::to_string(i),
                       "duty", duty_words))
        (*duties)[i] = one.at("duty");
    }
  if (r.exporting())
    tag_unknown(*meta);
}

/// A span needs an id of its own, which V1's samples leave out (C-35).
void rewrite_span(const rewriting& r, json::object& document,
                  std::string_view name) {
  auto* span = object_in(document, name);
  if (span == nullptr)
    return;
  if (const auto trace = text_of(*span, "trace_id"); !trace.empty())
    add_member(r, *span, '/' + std::string{name}, "span_id",
               json::value(
                 to_string(hashed_uuid("span\n" + std::string{trace}))));
}

/// Approved by overriding, which the reason must still tell (C-22).
void rewrite_approval(const rewriting& r, json::object& at,
                      const std::string& pointer) {
  if (!replace_word(r, at, pointer, "status", confirm_words))
    return;
  const auto reason = text_of(at, "reason");
  if (!at.contains("reason"))
    at["reason"] = "override";
  else if (reason.find("override") == reason.npos)
    at["reason"] = "override: " + std::string{reason};
}

/// Events of other shapes than the small one that modules carry are wrapped in
/// one (C-17).
void rewrite_base_event(const rewriting& r, json::value& at,
                        const std::string& pointer, std::string_view source,
                        std::size_t number) {
  auto* event = at.if_object();
  if (event == nullptr)
    return;
  const auto type = text_of(*event, "event_type");
  const auto words = dotted(type);
  const bool wrapped = event->contains("event_family")
                       || event->contains("session_id")
                       || event->contains("sa_id");
  if (!wrapped) {
    const std::array dots{respelling{type, words}};
    replace_word(r, *event, pointer, "event_type", dots);
    return;
  }
  json::object small;
  reading_notes ignored; // told of as one
  auto inner = rewrite_event({r.purpose, number, ignored}, *event);
  const auto& strict = inner.value.get_object();
  if (const auto* id = strict.if_contains("event_id"))
    small["event_id"] = *id;
  small["event_type"] = words;
  small["source"] = source;
  if (const auto* time = strict.if_contains("timestamp"))
    small["timestamp"] = *time;
  small["data"] = std::move(inner.value);
  r.notes.add(
    {pointer, "moved", std::string{type} + " taken as the data of " + words});
  at = std::move(small);
}

} // namespace

void rewrite_document(const rewriting& r, json::object& document,
                      std::string_view schema) {
  const auto name = schema.substr(std::string_view{"mplp-"}.size());
  rewrite_meta(r, document);
  rewrite_span(r, document, name == "trace" ? "root_span" : "trace");
  if (name == "trace") {
    replace_word(r, document, "", "status", trace_words);
    if (auto* segments = array_in(document, "segments"))
      for (std::size_t i = 0; i < segments->size(); ++i)
        if (auto* segment = (*segments)[i].if_object())
          replace_word(r, *segment, "/segments/" + std::to_string(i), "status",
                       trace_words);
  } else if (name == "confirm") {
    rewrite_approval(r, document, "");
    if (auto* decisions = array_in(document, "decisions"))
      for (std::size_t i = 0; i < decisions->size(); ++i)
        if (auto* decision = (*decisions)[i].if_object())
          rewrite_approval(r, *decision, "/decisions/" + std::to_string(i));
  } else if (name == "dialog") {
    if (auto* messages = array_in(document, "messages"))
      for (std::size_t i = 0; i < messages->size(); ++i)
        if (auto* message = (*messages)[i].if_object())
          if (auto* event = message->if_contains("event"))
            rewrite_base_event(r, *event,
                               "/messages/" + std::to_string(i) + "/event",
                               name, i);
  }
  if (auto* events = array_in(document, "events"))
    for (std::size_t i = 0; i < events->size(); ++i)
      rewrite_base_event(r, (*events)[i], "/events/" + std::to_string(i), name,
                         i);
}

} // namespace convene::protocol
