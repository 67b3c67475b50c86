#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/codec/description.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/session/requests/dialog_window.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

struct report;

/// A text of a size that is always the same.
template <std::size_t Size>
struct sized_text {
  std::array<char, Size> bytes{};

  operator std::string_view() const noexcept { // NOLINT(*-explicit-*)
    return {bytes.data(), Size};
  }
};

struct message_speaker {
  std::string_view participant_id;
  std::string_view role_id;
};

/// The event that says who spoke.
struct message_event {
  sized_text<36> event_id;
  std::string_view event_type;
  std::string_view source;
  sized_text<24> timestamp;
  message_speaker data;
};

/// A message of a session, whose texts are the report's.
struct session_message {
  protocol::message_role role = protocol::message_role::user;
  std::string_view content;
  sized_text<24> timestamp;
  std::optional<message_event> event; ///< nothing: nobody's
};

/// The messages that a session left, each made when it is looked at.
class session_messages {
public:
  session_messages() = default;
  explicit session_messages(std::shared_ptr<const report> of);

  class iterator {
  public:
    iterator(const session_messages& of, std::size_t at) : of_(&of), at_(at) {
      // nop
    }
    [[nodiscard]] CONVENE_API session_message operator*() const;
    CONVENE_API iterator& operator++();
    bool operator==(const iterator& other) const noexcept {
      return at_ == other.at_;
    }

  private:
    const session_messages* of_;
    std::size_t at_;
    std::uint64_t spoken_ = 0; ///< before this one, by participants
  };

  [[nodiscard]] iterator begin() const {
    return {*this, 0};
  }
  [[nodiscard]] iterator end() const {
    return {*this, entries_.size()};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return entries_.size();
  }

private:
  std::shared_ptr<const report> of_;
  std::vector<said> entries_;
};

/// A session's dialog as a Dialog document: the task as the user's message,
/// participants' contributions as agents' messages, each with a base event that
/// names the speaker.
struct session_dialog {
  protocol::metadata meta;
  std::string dialog_id;  ///< v4 UUID
  std::string context_id; ///< v4 UUID
  protocol::dialog_status status = protocol::dialog_status::active;
  session_messages messages;
  std::optional<std::string> started_at;
  std::optional<std::string> ended_at;
};

CONVENE_DESCRIBE(message_speaker, MEMBER(participant_id), MEMBER(role_id));

CONVENE_DESCRIBE(message_event, MEMBER(event_id), MEMBER(event_type),
                 MEMBER(source), MEMBER(timestamp), MEMBER(data));

CONVENE_DESCRIBE(session_message, MEMBER(role), MEMBER(content),
                 MEMBER(timestamp), MEMBER(event));

CONVENE_DESCRIBE(session_dialog, MEMBER(meta), MEMBER(dialog_id),
                 MEMBER(context_id), MEMBER(status), MEMBER(messages),
                 MEMBER(started_at), MEMBER(ended_at));

[[nodiscard]] CONVENE_API session_dialog
make_session_dialog(std::shared_ptr<const report> of);

/// The same as a document of the protocol's type, with its own texts.
[[nodiscard]] CONVENE_API protocol::dialog
make_dialog(const session_dialog& from);

} // namespace convene::session

namespace convene::protocol {

/// Written item by item, as a vector is.
template <>
inline constexpr bool is_vector<session::session_messages> = true;

} // namespace convene::protocol
