#include <boost/json/serialize.hpp>
#include <convene/lab/study/point_store.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <unistd.h>

#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

constexpr const char* store_name = "points.jsonl";

/// More than the most seeds have.
constexpr std::size_t store_bytes_max = std::size_t{1} << 30;

/// Whether it is there, and not only a folder for it.
result<bool> has_store(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto there = std::filesystem::status(folder, failed);
  if (std::filesystem::exists(there) && !std::filesystem::is_directory(there))
    return fail(file_error(errc::usage, folder,
                           "is not a folder: name a new one", "out"));
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(file_error(errc::io_failed, folder,
                           "cannot be created: " + failed.message(), "out"));
  if (std::filesystem::exists(folder / store_name, failed))
    return true;
  if (!std::filesystem::is_empty(folder, failed) || failed)
    return fail(file_error(errc::usage, folder,
                           "is neither an empty folder nor one of a study: "
                           "name a new one",
                           "out"));
  return false;
}

} // namespace

result<point_store> point_store::open(const std::filesystem::path& folder,
                                      std::string study, std::uint64_t seeds,
                                      std::size_t points) {
  const auto exists = has_store(folder);
  if (!exists)
    return fail(exists.error());
  point_store made;
  made.file_ = folder / store_name;
  made.study_ = std::move(study);
  auto held = folder_lock::take(folder);
  if (!held)
    return fail(std::move(held).error());
  made.held_ = *std::move(held);
  std::string text;
  if (*exists) {
    auto read = read_file(made.file_, store_bytes_max);
    if (!read)
      return fail(std::move(read).error());
    text = *std::move(read);
  }
  const auto refuse = [&made](std::size_t line, std::string why,
                              std::string rule) {
    auto what = file_error(errc::invalid_document, made.file_, std::move(why),
                           std::move(rule));
    what.line = line;
    what.column = 1;
    return fail(std::move(what));
  };
  std::size_t at = 0;
  for (auto end = text.find('\n'); end != text.npos;
       at = end + 1, end = text.find('\n', at)) {
    const auto line = made.finished_.size() + 1;
    const auto parsed = protocol::parse_json(
      std::string_view{text}.substr(at, end - at), {.bytes = store_bytes_max});
    const auto* object = parsed ? parsed->if_object() : nullptr;
    if (object == nullptr)
      return refuse(line, "is no JSON object: name a new folder",
                    "study_store");
    if (protocol::text_of(*object, "study") != made.study_)
      return refuse(line,
                    "belongs to another study: its scenario, variations, seeds "
                    "or settings differ; name a new folder, or give what was "
                    "given then",
                    "study_other");
    if (protocol::integer_of(*object, "point")
          != static_cast<std::int64_t>(line)
        || line > points)
      return refuse(line, "is not the next point: name a new folder",
                    "study_store");
    auto point = decode_point(*object, seeds);
    if (!point)
      return refuse(line, point.error().message + ": name a new folder",
                    point.error().rule);
    made.finished_.push_back(*std::move(point));
  }
  made.count_ = made.finished_.size();
  auto target = open_to_append(made.file_);
  if (!target)
    return fail(std::move(target).error());
  made.target_ = *std::move(target);
  if (at < text.size()
      && ::ftruncate(*made.target_.descriptor, static_cast<::off_t>(at)) != 0)
    return fail(cannot_write(errc::io_failed, made.file_));
  return made;
}

result<void> point_store::append(const point_result& next) {
  protocol::json::object line{{"study", study_}, {"point", ++count_}};
  for (auto& member : encode(next))
    line.emplace(member.key(), std::move(member.value()));
  const int file = *target_.descriptor;
  if (!write_all(file, protocol::json::serialize(line) + '\n')
      || ::fdatasync(file) != 0)
    return fail(cannot_write(errc::io_failed, file_));
  return {};
}

} // namespace convene::host
