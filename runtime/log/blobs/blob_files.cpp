#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

/// Whether the file is a segment of a log.
bool is_segment_name(const fs::path& file) {
  const auto number = file.stem().string();
  return file.extension() == ".jsonl" && !number.empty()
         && std::ranges::all_of(number,
                                [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool has_blobs(const fs::path& log) {
  std::error_code none;
  const auto kind = fs::status(log, none).type();
  return !log.empty()
         && (kind == fs::file_type::regular || kind == fs::file_type::directory
             || kind == fs::file_type::not_found);
}

fs::path blob_folder_for(const fs::path& log) {
  std::error_code none;
  if (fs::is_directory(log, none))
    return log / "blobs";
  if (log.filename() == "events.jsonl" || is_segment_name(log))
    return log.parent_path() / "blobs";
  return fs::path{log}.replace_extension(".blobs");
}

result<fs::path> blob_folder_of(const fs::path& log) {
  const auto segments = found_segments(log);
  if (!segments)
    return fail(segments.error());
  return blob_folder_for(segments->front().path);
}

blob name_blob(std::string_view text) {
  return {.sha256 = hex_digest_of(text), .bytes = text.size()};
}

result<std::string> read_blob(const fs::path& folder, const blob& which) {
  const auto file = folder / which.sha256;
  std::error_code failed;
  if (!fs::exists(file, failed) && !failed)
    return fail(file_error(errc::unreadable, file,
                           "the log names this blob, and it is not there",
                           "blob_missing"));
  auto text = read_file(file, blob_bytes_max);
  if (!text) {
    auto what = std::move(text).error();
    what.rule = "blob_unreadable";
    return fail(std::move(what));
  }
  std::string wrong;
  if (text->size() != which.bytes)
    wrong = "it has " + std::to_string(text->size())
            + " bytes, and the log says " + std::to_string(which.bytes);
  else if (hex_digest_of(*text) != which.sha256)
    wrong = "its SHA-256 is not the one that the log names";
  if (!wrong.empty())
    return fail(file_error(errc::invalid_document, file, std::move(wrong),
                           "blob_corrupt"));
  return text;
}

result<boost::json::value> read_blob_value(const fs::path& folder,
                                           const blob& which) {
  const auto text = read_blob(folder, which);
  if (!text)
    return fail(text.error());
  auto value = read_blob_text(*text);
  if (!value)
    return fail(in_file(std::move(value).error(), folder / which.sha256));
  return value;
}

result<std::vector<std::string>> blob_names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  if (!fs::exists(folder, failed) && !failed)
    return names;
  fs::directory_iterator at{folder, failed};
  for (; !failed && at != fs::directory_iterator{}; at.increment(failed))
    if (auto name = at->path().filename().string(); is_blob_name(name))
      names.push_back(std::move(name));
  if (failed)
    return fail(file_error(errc::unreadable, folder, "cannot be read", failed));
  return names;
}

} // namespace convene::host
