#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <system_error>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

error unreadable(const fs::path& file, const std::error_code& why) {
  return file_error(errc::unreadable, file, "cannot be read", why);
}

/// A device or a pipe would keep us waiting, or never end.
bool is_regular(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

} // namespace

bool is_work_folder(const fs::path& folder) {
  std::error_code ignored;
  return folder.filename() == "work"
         && fs::exists(folder.parent_path() / "run.json", ignored);
}

result<std::vector<fs::path>> json_files(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  fs::recursive_directory_iterator at{folder, failed};
  for (; !failed && at != fs::recursive_directory_iterator{};
       at.increment(failed)) {
    if (at.depth() >= folder_depth_max)
      return fail(file_error(errc::limit_reached, folder,
                             "has folders nested over "
                               + std::to_string(folder_depth_max) + " deep",
                             "folder_depth_max"));
    const auto& path = at->path();
    std::error_code ignored;
    if (at->is_directory(ignored) && is_work_folder(path))
      at.disable_recursion_pending();
    if (!fs::is_regular_file(at->symlink_status(ignored))
        || (path.extension() != ".json" && path.extension() != ".jsonl"))
      continue;
    if (found.size() == folder_files_max)
      return fail(file_error(errc::limit_reached, folder,
                             "has over " + std::to_string(folder_files_max)
                               + " JSON files",
                             "folder_files_max"));
    found.push_back(path);
  }
  if (failed)
    return fail(unreadable(folder, failed));
  std::ranges::sort(found);
  return found;
}

bool is_json_lines(const fs::path& file) {
  if (file.extension() == ".jsonl" || file.extension() == ".ndjson")
    return true;
  constexpr std::string_view opening = "{\"log_opened\":";
  std::array<char, opening.size()> first{};
  if (!is_regular(file)
      || !std::ifstream{file, std::ios::binary}.read(first.data(),
                                                     first.size()))
    return false;
  return std::string_view{first.data(), first.size()} == opening;
}

result<void> visit_lines(const fs::path& file, const line_visitor& visit) {
  std::error_code failed;
  if (!fs::exists(fs::status(file, failed)))
    return fail(unreadable(file, failed));
  if (!is_regular(file))
    return fail(file_error(errc::unreadable, file, "is not a regular file"));
  std::ifstream in{file, std::ios::binary};
  std::array<char, 1 << 16> block{};
  std::string line;
  std::size_t number = 1;
  while (in) {
    in.read(block.data(), block.size());
    std::string_view rest{block.data(), static_cast<std::size_t>(in.gcount())};
    for (auto end = rest.find('\n'); end != std::string_view::npos;
         end = rest.find('\n')) {
      line += rest.substr(0, end);
      if (auto done = visit(line, number++); !done)
        return done;
      line.clear();
      rest.remove_prefix(end + 1);
    }
    line += rest;
    if (line.size() > json_line_bytes_max) {
      auto what = file_error(errc::limit_reached, file,
                             "a line is larger than "
                               + std::to_string(json_line_bytes_max) + " bytes",
                             "json_line_bytes_max");
      what.line = number;
      what.column = 1;
      return fail(std::move(what));
    }
  }
  if (!in.eof())
    return fail(file_error(errc::unreadable, file, "cannot be read"));
  return line.empty() ? result<void>{} : visit(line, number);
}

} // namespace convene::host
