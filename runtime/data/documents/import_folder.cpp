#include <convene/protocol/drift/writable_path.hpp>
#include <convene/runtime/data/documents/import_folder.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/staging_folder.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <algorithm>
#include <system_error>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// The folder's name without a dot or a slash at its end, links resolved.
fs::path real(const fs::path& folder) {
  std::error_code ignored;
  auto found = fs::weakly_canonical(folder, ignored);
  return found.has_filename() ? found : found.parent_path();
}

bool is_inside(const fs::path& folder, const fs::path& of) {
  const auto one = real(folder);
  const auto other = real(of);
  return std::mismatch(other.begin(), other.end(), one.begin(), one.end()).first
         == other.end();
}

/// What of the folder is no JSON file, and why.
result<void> note_others(const fs::path& from, import_report& out) {
  std::error_code failed;
  fs::recursive_directory_iterator at{from, failed};
  for (; !failed && at != fs::recursive_directory_iterator{};
       at.increment(failed)) {
    std::error_code ignored;
    const auto status = at->symlink_status(ignored);
    const auto ending = at->path().extension();
    const bool regular = fs::is_regular_file(status);
    const bool is_work = fs::is_directory(status) && is_work_folder(at->path());
    if (is_work)
      at.disable_recursion_pending();
    if ((fs::is_directory(status) && !is_work)
        || (regular && (ending == ".json" || ending == ".jsonl")))
      continue;
    if (out.passed_over.size() == folder_files_max)
      return fail(file_error(errc::limit_reached, from,
                             "has too many files that are not JSON",
                             "folder_files_max"));
    out.passed_over.emplace_back(at->path().lexically_relative(from).string(),
                                 is_work                  ? "programs' files"
                                 : regular                ? "no JSON file"
                                 : fs::is_symlink(status) ? "a link"
                                                          : "no regular file");
  }
  if (failed)
    return fail(file_error(errc::unreadable, from, "cannot be read", failed));
  return {};
}

/// Whether the file is not too large to be validated.
result<void> check_size(const fs::path& file) {
  if (is_json_lines(file)) // bounded by the line
    return visit_lines(file, [](auto, auto) { return result<void>{}; });
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  if (!failed && bytes > written_document_bytes_max)
    return fail(file_error(
      errc::limit_reached, file,
      "is larger than " + std::to_string(written_document_bytes_max) + " bytes",
      "document_bytes_max"));
  return {};
}

result<void> copy_one(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  if (!failed)
    fs::copy_file(from, to, failed);
  if (failed)
    return fail(file_error(errc::io_failed, from, "cannot be copied", failed));
  return {};
}

/// The blobs that a log names go along.
result<void> copy_blobs(const fs::path& from, const fs::path& to,
                        const fs::path& folder, import_report& out) {
  const auto blobs = blob_folder_for(from);
  blob_carrier carrier{blobs, blob_folder_for(to)};
  auto done = visit_lines(from, [&](std::string_view line, std::size_t) {
    carrier.feed(line);
    return result<void>{};
  });
  if (!done)
    return done;
  for (const auto& each : carrier.left())
    if (each.code == errc::io_failed)
      return fail(each);
    else if (each.rule == "blob_missing")
      out.passed_over.emplace_back(
        fs::path{each.file}.lexically_relative(folder).string(), each.message);
  const auto below = blobs.lexically_relative(folder);
  std::erase_if(out.passed_over, [&](const auto& one) {
    const fs::path file{one.first};
    return file.parent_path() == below
           && std::ranges::any_of(carrier.carried(), [&](const blob& each) {
                return each.sha256 == file.filename();
              });
  });
  return {};
}

/// Validates the copies and removes those of no known kind.
result<void> validate_copies(const fs::path& folder, validation_request how,
                             import_report& out) {
  how.paths = {folder};
  std::vector<fs::path> unknown;
  const auto done = validate_files(how, [&](const file_verdict& verdict) {
    const fs::path file{verdict.file};
    const auto name = file.lexically_relative(folder).string();
    if (verdict.documents == 0 && verdict.valid()) {
      unknown.push_back(file);
      return out.passed_over.emplace_back(name, "of no known kind"), void();
    }
    out.files.push_back(verdict);
    out.files.back().file = name;
  });
  if (!done)
    return done;
  for (const auto& file : unknown) {
    std::error_code failed;
    fs::remove(file, failed);
    for (auto empty = file.parent_path();
         empty != folder && !failed && fs::is_empty(empty, failed);
         empty = empty.parent_path())
      fs::remove(empty, failed);
  }
  return {};
}

} // namespace

result<import_report> import_folder(const fs::path& from, const fs::path& to,
                                    const validation_request& how,
                                    const std::stop_token& stop) {
  if (is_inside(to, from))
    return fail(file_error(errc::usage, to,
                           "lies inside the folder that is imported: name one "
                           "outside of it",
                           "target_inside_source"));
  import_report out;
  if (auto done = note_others(from, out); !done)
    return fail(done.error());
  const auto files = json_files(from);
  if (!files)
    return fail(files.error());
  staging_folder staging{to};
  if (auto done = staging.make(); !done)
    return fail(done.error());
  for (const auto& file : *files) {
    const auto name = file.lexically_relative(from);
    if (const auto why = why_not_written(name.string()); !why.empty()) {
      out.passed_over.emplace_back(name.string(), why);
      continue;
    }
    const auto to_file = staging.path() / name;
    if (stop.stop_requested())
      return fail(interrupted(to));
    auto done = check_size(file);
    if (done)
      done = copy_one(file, to_file);
    if (done && is_json_lines(file))
      done = copy_blobs(file, to_file, from, out);
    if (!done)
      return fail(done.error());
  }
  if (auto done = validate_copies(staging.path(), how, out); !done)
    return fail(done.error());
  std::ranges::sort(out.passed_over);
  if (out.files.empty())
    return fail(file_error(errc::unreadable, from,
                           "has no document that there is a schema for"));
  if (!std::ranges::all_of(out.files, &file_verdict::valid))
    return out;
  const auto fresh = staging.become_target();
  if (!fresh)
    return fail(fresh.error());
  out.how = *fresh ? import_report::outcome::imported
                   : import_report::outcome::unchanged;
  return out;
}

} // namespace convene::host
