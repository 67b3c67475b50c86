#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/shown/shown_text.hpp>
#include <convene/session/story/event_words.hpp>
#include <fmt/format.h>

namespace convene::session::words {

using protocol::fit;
using protocol::neutral;
using protocol::object_of;
using protocol::text_of;

namespace {

constexpr std::size_t columns_max = 100;

} // namespace

std::string kept(std::string_view text) {
  constexpr std::size_t bytes_max = 1'024;
  return std::string{protocol::cut_utf8(text, bytes_max)};
}

std::string said(std::string_view text) {
  return '"' + fit(neutral(text.substr(0, columns_max * 8)), columns_max) + '"';
}

std::string name(std::string_view id) {
  constexpr std::size_t name_columns = 40;
  return id.empty()
           ? std::string{"somebody"}
           : fit(neutral(id.substr(0, name_columns * 8)), name_columns);
}

std::string resource_in(const json::object& payload) {
  return name(std::string{text_of(payload, "resource_type")} + '/'
              + std::string{text_of(payload, "resource_id")});
}

std::string ended_words(std::string_view status) {
  if (status == "completed")
    return "answered";
  if (status == "timed_out")
    return "did not answer in time";
  if (status == "handed_off")
    return "handed it off";
  return status == "cancelled" ? "was cancelled" : name(status);
}

std::string error_words(const json::object& payload) {
  const auto& error = object_of(payload, "error");
  const auto code = text_of(error, "code");
  const auto message = text_of(error, "message");
  if (code.empty())
    return {};
  return message.empty() ? fmt::format(" ({})", name(code))
                         : fmt::format(" ({}: {})", name(code), said(message));
}

std::string whole_error_words(const json::object& payload) {
  constexpr std::size_t bytes_max = 2'000;
  const auto& error = object_of(payload, "error");
  const auto message = text_of(error, "message");
  if (text_of(error, "code").empty() || message.empty())
    return error_words(payload);
  const auto cut = protocol::cut_utf8(message, bytes_max);
  return fmt::format(" ({}: {}{})", name(text_of(error, "code")), neutral(cut),
                     cut.size() < message.size() ? "..." : "");
}

std::string decision_words(const json::object& reply) {
  std::string all;
  const auto& list = protocol::items_of(reply, "decision");
  constexpr std::size_t words_max = 8;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == words_max)
      return all + ", ...";
    const auto* one = list[i].if_object();
    if (one == nullptr || one->empty())
      continue;
    all += (all.empty() ? "" : ", ") + name(one->begin()->key());
    if (const auto* what = one->begin()->value().if_object())
      for (const auto* member : {"participant", "to"})
        if (const auto who = text_of(*what, member); !who.empty())
          all += " (" + name(who) + ')';
  }
  return all.empty() ? "nothing" : all;
}

std::string_view control_words(std::string_view input) {
  if (input == "suspend")
    return "the session was suspended";
  if (input == "resume")
    return "the session went on";
  if (input == "cancel")
    return "someone cancelled the session";
  if (input == "stop")
    return "someone stopped the session";
  return input == "forked" ? "here the fork begins" : "";
}

std::string_view trouble_words(std::string_view input) {
  if (input == "decision_timed_out")
    return "did not decide in time";
  if (input == "vote_timed_out")
    return "did not vote in time";
  if (input == "escalation_timed_out")
    return "did not settle a conflict in time";
  if (input == "participant_down")
    return "was lost";
  if (input == "handoff_failed")
    return "was lost before taking up what was handed off";
  return input == "fault" ? "had a fault" : "";
}

} // namespace convene::session::words
