#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/invariants/rule_set.hpp>

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace convene::host {

/// What an evidence pack is known by: SHA-256, in hexadecimal.
struct pack_hashes {
  std::string verdict; ///< of its artifacts, one after another
  std::string root;    ///< of its checksums, and with them of everything
};

/// What is in a pack, and what is wrong with it: each fault with its file below
/// the pack.
struct pack_verdict {
  pack_hashes hashes;
  std::size_t artifacts = 0;
  std::size_t events = 0;
  std::vector<protocol::error> faults;
};

/// Packs what one session, or a single agent, left in its folder, in the form
/// that MPLP's Validation Lab admits: below `to`, a new folder, `artifacts` has
/// the documents, byte for byte, `timeline/events.ndjson` the events of the log
/// (see pack_timeline.hpp), `manifest.json` says what is there,
/// `evidence_pointers.json` and `bundle.manifest.json` name events that show
/// what the Lab's rulesets ask for, `integrity/sha256sums.txt` has the checksum
/// of each file, as sha256sum reads them, and `integrity/pack.sha256` theirs.
/// The same run gives the same pack. All of it is there or nothing, and nothing
/// that `verify_pack` would find a fault in. Rule `interrupted` after `stop`.
[[nodiscard]] protocol::result<pack_verdict>
write_pack(const std::filesystem::path& run, const std::filesystem::path& to,
           const protocol::rule_set& rules, const std::stop_token& stop = {});

/// Reads a pack again: whether every file has its checksum, nothing is missing
/// and nothing was added, the manifest says what is there, the timeline is in
/// order, and everything is valid by the schemas and the rules. Rules of
/// faults: `pack_sums`, `pack_missing`, `pack_changed`, `pack_added`,
/// `pack_manifest`, `pack_timeline`, and those of validation. Packs of
/// version 1, without these, are read too. Fails if there is no such folder or
/// its checksums cannot be read.
[[nodiscard]] protocol::result<pack_verdict>
verify_pack(const std::filesystem::path& pack, const protocol::rule_set& rules);

} // namespace convene::host
