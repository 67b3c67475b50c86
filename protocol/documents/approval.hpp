#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <optional>
#include <string>
#include <string_view>

// A person's approval of one call before it is carried out: an action of kind
// person, named after who is asked (docs/agents.md, "Approval of a call").

namespace convene::protocol {

/// Who is asked in a session without people.
inline constexpr std::string_view any_approver = "approver";

/// Whether a person approves the calls of this name, by a behaviour's entry:
/// its `approve` is true, or has a pattern for it (glob.hpp).
[[nodiscard]] bool needs_approval(const json::object& behaviour,
                                  std::string_view name);

/// Whether a person approves any of its calls.
[[nodiscard]] bool asks_approval(const json::object& behaviour);

/// The SHA-256 of what is approved: whose call it is, and its kind, name,
/// arguments and question. Several participants may have the same request.
[[nodiscard]] std::string approval_digest(const action& call,
                                          std::string_view participant);

/// By which a person is asked, at "<the call's position>.approval.<the first 16
/// digits of its digest>": its arguments are {kind, name, [arguments], sha256}.
/// `participant` makes the call, `approver` is who is asked. Large arguments
/// are left out, `in_full` false.
[[nodiscard]] action approval_of(const action& call,
                                 std::string_view participant,
                                 std::string approver, bool in_full);

/// The position of the call whose approval has this one; empty: it is no
/// position of an approval.
[[nodiscard]] std::string_view approved_position(std::string_view position);

/// Identifies the question, by the token of the request whose action it is.
[[nodiscard]] std::string approval_token(std::string_view token,
                                         std::string_view position);

/// What a person said.
struct approval_verdict {
  bool approved = false;
  std::string reason; ///< may be empty

  bool operator==(const approval_verdict&) const = default;
};

/// What a reply to the question means: approved if its content is APPROVED or
/// begins with "APPROVED:", refused if it failed, was declined, or its content
/// is REJECTED or begins with "REJECTED:". Nothing: it is neither.
[[nodiscard]] std::optional<approval_verdict> verdict_of(const reply& from);

/// A reply that means it.
[[nodiscard]] reply approval_reply(const approval_verdict& from);

/// The output of the approval's action: {approved, by, call, [reason]}.
[[nodiscard]] json::object approval_output(const approval_verdict& from,
                                           std::string_view by,
                                           std::string_view call);

/// What was said, by such an output; nothing: it is none.
[[nodiscard]] std::optional<approval_verdict>
verdict_in(const json::value& output);

} // namespace convene::protocol
