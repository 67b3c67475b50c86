#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/strict_export.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// A folder that goes away again, unless it is given its name.
class unfinished_folder {
public:
  explicit unfinished_folder(fs::path path) : path_(std::move(path)) {}

  unfinished_folder(const unfinished_folder&) = delete;
  unfinished_folder& operator=(const unfinished_folder&) = delete;

  ~unfinished_folder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }

  /// Appends to a file in it.
  result<void> write(const std::string& file, std::string_view text) {
    const auto path = path_ / file;
    if (file != open_file_) {
      if (auto closed = close(); !closed)
        return closed;
      std::error_code failed;
      fs::create_directories(path.parent_path(), failed);
      if (failed)
        return fail(
          file_error(errc::io_failed, path, "cannot be written", failed));
      out_.open(path, std::ios::binary);
      open_file_ = file;
    }
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out_)
      return fail(file_error(errc::io_failed, path, "cannot be written"));
    return {};
  }

  result<void> rename_to(const fs::path& folder) {
    if (auto closed = close(); !closed)
      return closed;
    std::error_code failed;
    fs::rename(path_, folder, failed); // which an empty folder is replaced by
    if (failed)
      return fail(
        file_error(errc::io_failed, folder, "cannot be created", failed));
    path_.clear();
    return {};
  }

private:
  result<void> close() {
    if (open_file_.empty())
      return {};
    out_.close();
    if (!out_)
      return fail(
        file_error(errc::io_failed, path_ / open_file_, "cannot be written"));
    out_.clear();
    return {};
  }

  fs::path path_;
  std::string open_file_;
  std::ofstream out_;
};

/// The blobs that an exported log names go along.
result<void> carry_blobs(const exported_file& log, const fs::path& folder,
                         export_report& report) {
  const auto made = folder / log.file;
  blob_carrier carrier{blob_folder_for(log.from), blob_folder_for(made)};
  auto done = visit_lines(made, [&](std::string_view line, std::size_t) {
    carrier.feed(line);
    return result<void>{};
  });
  if (!done)
    return done;
  for (const auto& each : carrier.left()) {
    if (each.code == errc::io_failed)
      return fail(each);
    report.blobs_lost.push_back(each);
  }
  return {};
}

result<void> carry_blobs(const fs::path& folder, export_report& report) {
  for (const auto& each : report.files)
    if (is_json_lines(folder / each.file))
      if (auto done = carry_blobs(each, folder, report); !done)
        return done;
  return {};
}

} // namespace

result<export_report> export_strict_to(const fs::path& path,
                                       const fs::path& folder) {
  std::error_code failed;
  const bool was_there = fs::exists(folder, failed);
  // Refuses what is in use; makes the folders above, and this one.
  if (auto usable = output_folder::create(folder, false); !usable)
    return fail(std::move(usable).error());
  auto beside = folder.has_filename() ? folder : folder.parent_path();
  beside += ".partial-" + std::to_string(::getpid());
  if (!fs::create_directory(beside, failed))
    return fail(file_error(errc::io_failed, beside,
                           failed ? "cannot be created: " + failed.message()
                                  : "is there already; remove it"));
  unfinished_folder unfinished{beside};
  auto report = export_strict(path, [&unfinished](const std::string& file,
                                                  std::string_view text) {
    return unfinished.write(file, text);
  });
  if (report)
    if (auto done = carry_blobs(beside, *report); !done)
      report = fail(std::move(done).error());
  if (report)
    if (auto done = unfinished.rename_to(folder); !done)
      report = fail(std::move(done).error());
  if (!report && !was_there)
    fs::remove(folder, failed);
  return report;
}

} // namespace convene::host
