#pragma once

#include <convene/protocol/documents/dialog.hpp>

#include <string>

namespace convene::cli {

/// The messages as text to read: a line with the speaker and the time of each,
/// and what it says below, indented. Neutral: it changes no terminal. A speaker
/// is the participant that the message's event names, or else its role.
[[nodiscard]] std::string transcript(const protocol::dialog& of);

} // namespace convene::cli
