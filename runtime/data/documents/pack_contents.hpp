#pragma once

#include <boost/json/object.hpp>
#include <convene/runtime/data/documents/pack_files.hpp>
#include <convene/runtime/data/documents/pack_timeline.hpp>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host::pack {

/// Files that every pack has among its checksums.
inline constexpr std::array needed{std::string_view{"artifacts/context.json"},
                                   std::string_view{"artifacts/trace.json"},
                                   manifest, timeline};

/// The artifacts and the timeline of a pack, as read from disk.
struct contents {
  checksums files;     ///< of those that can be read
  std::string verdict; ///< SHA-256 of the artifacts, one after another
  timeline_facts events;
};

/// Reads the files with these names. Of `events` only their number is known.
[[nodiscard]] contents sum_up(const std::filesystem::path& folder,
                              const std::vector<std::string>& names);

/// A file of a pack that follows from its contents.
struct derived_file {
  std::string_view name;
  boost::json::object is;
};

/// The manifest; and, if the events show something that a requirement asks
/// for, the Lab's pointers to them and its manifest of a bundle.
[[nodiscard]] std::vector<derived_file> derived_files(const contents& of);

/// The manifest that packs of version 1 have, which have no other such file,
/// and the log's lines as their timeline.
[[nodiscard]] boost::json::object manifest_of_version_1(const contents& of);

} // namespace convene::host::pack
