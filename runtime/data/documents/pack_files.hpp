#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

/// Where things are in an evidence pack, and its checksums.
namespace convene::host::pack {

inline constexpr std::string_view manifest = "manifest.json";
inline constexpr std::string_view artifacts = "artifacts/";
inline constexpr std::string_view timeline = "timeline/events.ndjson";
inline constexpr std::string_view pointers = "evidence_pointers.json";
inline constexpr std::string_view bundle = "bundle.manifest.json";
inline constexpr std::string_view sums = "integrity/sha256sums.txt";
inline constexpr std::string_view root = "integrity/pack.sha256";
inline constexpr int version = 2;

/// SHA-256 by file below the pack, in the order of their names.
using checksums = std::map<std::string, std::string>;

/// As sha256sum writes and reads them.
[[nodiscard]] std::string to_text(const checksums& all);

/// SHA-256 of that text without its last line's end, which stands for the whole
/// pack.
[[nodiscard]] std::string root_of(const checksums& all);

/// Rule `pack_sums` for what is none, names a file twice or one that is not
/// below the pack.
[[nodiscard]] protocol::result<checksums> read_checksums(std::string_view text);

/// Shows a regular file's bytes in pieces. Links are not followed.
[[nodiscard]] protocol::result<void>
visit_bytes(const std::filesystem::path& file,
            const std::function<void(std::string_view)>& visit);

} // namespace convene::host::pack
