#pragma once

#include <string>
#include <string_view>

namespace convene::protocol {

// JSON pointers (RFC 6901). A token is what follows a slash: in it `~` is
// written `~0` and `/` is written `~1`.

/// Appends `/` and the name as a token, whole: for pointers that are resolved.
void append_token(std::string& pointer, std::string_view name);

/// Like `append_token`, for pointers in messages: at most the name's first 128
/// bytes, whole characters.
void append_to_pointer(std::string& pointer, std::string_view name);

/// Replaces `name` with the name that a token, without its slash, denotes.
/// False if a `~` comes before anything other than `0` or `1`, or last; it is
/// then copied as it is.
bool read_token(std::string_view token, std::string& name);

} // namespace convene::protocol
