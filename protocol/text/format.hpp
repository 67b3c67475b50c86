#pragma once

#include <string_view>

namespace convene::protocol::validation {

/// Whether a string is of a format. Never allocates but for `regex`.
using format_check = bool (*)(std::string_view text);

/// The check for a `format`, or null for one that we do not know.
[[nodiscard]] format_check find_format(std::string_view name) noexcept;

// The checks, by the document that defines them. RFC 3339:
[[nodiscard]] bool is_rfc3339_date_time(std::string_view text);
[[nodiscard]] bool is_rfc3339_date(std::string_view text);
[[nodiscard]] bool is_rfc3339_time(std::string_view text);
// RFC 4122, any version and case:
[[nodiscard]] bool is_uuid(std::string_view text);
// RFC 1123, RFC 5321; `idn_` also takes letters beyond ASCII (RFC 5890):
[[nodiscard]] bool is_hostname(std::string_view text);
[[nodiscard]] bool is_idn_hostname(std::string_view text);
[[nodiscard]] bool is_email(std::string_view text);
[[nodiscard]] bool is_idn_email(std::string_view text);
[[nodiscard]] bool is_ipv4(std::string_view text);
[[nodiscard]] bool is_ipv6(std::string_view text);
// RFC 3986, RFC 3987, RFC 6570:
[[nodiscard]] bool is_uri(std::string_view text);
[[nodiscard]] bool is_uri_reference(std::string_view text);
[[nodiscard]] bool is_iri(std::string_view text);
[[nodiscard]] bool is_iri_reference(std::string_view text);
[[nodiscard]] bool is_uri_template(std::string_view text);
// RFC 6901:
[[nodiscard]] bool is_json_pointer(std::string_view text);
[[nodiscard]] bool is_relative_json_pointer(std::string_view text);
// ECMA 262, as far as `translate_pattern` reads it; at most 4,096 bytes:
[[nodiscard]] bool is_regex(std::string_view text);

} // namespace convene::protocol::validation
