#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/evidence_pack.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/pack_contents.hpp>
#include <convene/runtime/data/documents/staging_folder.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/temporary_folder.hpp>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

bool is_content(const std::string& name) {
  return name.starts_with(pack::artifacts) || name == pack::timeline;
}

class verification {
public:
  verification(const fs::path& folder, const pack::checksums& listed,
               pack_verdict& out)
    : folder_{folder}, listed_{listed}, out_{out} {
    const auto manifest = read_object(pack::manifest);
    is_version_1_ = manifest && integer_of(*manifest, "evidence_pack") == 1;
  }

  [[nodiscard]] bool is_version_1() const {
    return is_version_1_;
  }

  /// Every file that is listed is as it was.
  void check_sums() {
    std::vector<std::string> names;
    for (const auto& [name, sum] : listed_)
      names.push_back(name);
    found_ = pack::sum_up(folder_, names);
    for (const auto& [name, sum] : listed_) {
      const auto now = found_.files.find(name);
      if (now == found_.files.end())
        note(name, "pack_missing", "is listed, and is not there");
      else if (now->second != sum)
        note(name, "pack_changed", "is not what it was: its SHA-256 differs");
    }
    for (const auto name : pack::needed)
      if (!listed_.contains(std::string{name}))
        note(name, "pack_missing", "is not among the checksums");
    std::erase_if(found_.files,
                  [](const auto& each) { return !is_content(each.first); });
    out_.hashes.verdict = found_.verdict;
    out_.artifacts = found_.files.size()
                     - found_.files.count(std::string{pack::timeline});
    out_.events = found_.events.events;
  }

  /// The checksums are those that the root hash stands for.
  void check_root() {
    const auto text = read_file(folder_ / pack::root);
    if (!text)
      note(pack::root, "pack_missing", "cannot be read");
    else if (text->substr(0, text->find_first_of(" \n")) != out_.hashes.root)
      note(pack::root, "pack_sums", "is not the SHA-256 of the checksums");
  }

  result<void> check_others() {
    std::error_code failed;
    std::size_t seen = 0;
    fs::recursive_directory_iterator at{folder_, failed};
    for (; !failed && at != fs::recursive_directory_iterator{};
         at.increment(failed)) {
      if (++seen > folder_files_max)
        return fail(file_error(errc::limit_reached, folder_,
                               "has too many files", "folder_files_max"));
      std::error_code ignored;
      const auto name = at->path().lexically_relative(folder_).string();
      if (!fs::is_directory(at->symlink_status(ignored)) && name != pack::sums
          && (name != pack::root || is_version_1_) && !listed_.contains(name))
        note(name, "pack_added", "is not among the checksums");
    }
    if (failed)
      return fail(
        file_error(errc::unreadable, folder_, "cannot be read", failed));
    return {};
  }

  /// Writes the events in the order of their log to `log`.
  result<void> check_timeline(const fs::path& log) {
    if (!found_.files.contains(std::string{pack::timeline}))
      return {}; // reported already
    auto read = pack::read_timeline(
      folder_ / pack::timeline, log,
      [this](std::size_t line, std::string what) {
        if (out_.faults.size() < faults_max)
          note(pack::timeline, "pack_timeline",
               line == 0 ? std::move(what)
                         : "line " + std::to_string(line) + " " + what);
      });
    if (!read)
      return fail(std::move(read).error());
    found_.events = *std::move(read);
    return {};
  }

  /// What follows from the contents is what the pack says of them.
  void check_derived() {
    if (is_version_1_)
      return check_object(pack::manifest, pack::manifest_of_version_1(found_));
    if (!found_.files.contains(std::string{pack::timeline}))
      return; // reported already
    const auto derived = pack::derived_files(found_);
    for (const auto& [name, is] : derived) {
      if (!listed_.contains(std::string{name}))
        note(name, "pack_missing", "is not among the checksums");
      auto must = is;
      must.erase("schema_bundle_sha256"); // of the version that made the pack
      check_object(name, must);
    }
    for (const auto& [name, sum] : listed_)
      if (!is_content(name)
          && std::ranges::find(derived, std::string_view{name},
                               &pack::derived_file::name)
               == derived.end())
        note(name, "pack_added", "does not belong to a pack");
  }

  /// Of what is listed alone; what else there is was reported.
  result<void> check_documents(const rule_set& rules, const fs::path& log) {
    const validation_request how{.paths = {folder_ / "artifacts", log},
                                 .rules = &rules};
    return validate_files(how, [this, &log](const file_verdict& file) {
      const auto name
        = file.file == log.string()
            ? std::string{pack::timeline}
            : fs::path{file.file}.lexically_relative(folder_).string();
      for (const auto& each : file.errors)
        out_.faults.push_back(
          {.code = errc::invalid_document,
           .message = each.message,
           .file = name,
           .pointer = each.instance,
           .rule = each.rule.id.empty() ? each.keyword : each.rule.id});
    });
  }

private:
  static constexpr std::size_t faults_max = 1'000;

  [[nodiscard]] std::optional<json::object>
  read_object(std::string_view name) const {
    const auto text = read_file(folder_ / name);
    auto read = text ? parse_json(*text)
                     : result<json::value>{fail(text.error())};
    if (!read || !read->is_object())
      return std::nullopt;
    return std::move(read->get_object());
  }

  /// All members that a file must have; a manifest may have others.
  void check_object(std::string_view name, const json::object& must) {
    const auto is = read_object(name);
    if (!is)
      return note(name, "pack_manifest", "holds no JSON object");
    for (const auto& [member, value] : must)
      if (const auto* said = is->if_contains(member);
          said == nullptr || *said != value)
        note(name, "pack_manifest",
             std::string{member} + " is not what the pack has");
  }

  void note(std::string_view file, const char* rule, std::string what) {
    out_.faults.push_back({.code = errc::invalid_document,
                           .message = std::move(what),
                           .file = std::string{file},
                           .rule = rule});
  }

  const fs::path& folder_;
  const pack::checksums& listed_;
  pack_verdict& out_;
  pack::contents found_;
  bool is_version_1_ = false;
};

} // namespace

result<pack_verdict> verify_pack(const fs::path& folder,
                                 const rule_set& rules) {
  const auto text = read_file(folder / pack::sums);
  if (!text)
    return fail(text.error());
  pack_verdict out;
  const auto listed = pack::read_checksums(*text);
  if (!listed) {
    out.hashes.root = hex_digest_of(*text);
    out.faults.push_back(listed.error());
    out.faults.back().file = pack::sums;
    return out;
  }
  verification of{folder, *listed, out};
  out.hashes.root = of.is_version_1() ? hex_digest_of(*text)
                                      : pack::root_of(*listed);
  of.check_sums();
  if (auto done = of.check_others(); !done)
    return fail(done.error());
  const auto temporary = find_temporary_folder();
  if (!temporary)
    return fail(temporary.error());
  staging_folder scratch{*temporary / "convene-pack"};
  auto log = folder / pack::timeline;
  if (!of.is_version_1()) {
    of.check_root();
    if (auto made = scratch.make(); !made)
      return fail(made.error());
    log = scratch.path() / "events.ndjson";
    if (auto done = of.check_timeline(log); !done)
      return fail(done.error());
  }
  of.check_derived();
  // What is missing or another's cannot be validated, and need not be.
  if (out.faults.empty())
    if (auto done = of.check_documents(rules, log); !done)
      return fail(done.error());
  return out;
}

} // namespace convene::host
