#include <boost/json/serialize.hpp>
#include <convene/lab/study/point_store.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

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
  create_private(folder, failed);
  if (failed)
    return fail(
      file_error(errc::io_failed, folder, "cannot be created", failed, "out"));
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

result<std::int64_t> point_store::read(const std::filesystem::path& file,
                                       std::uint64_t seeds,
                                       std::size_t points) {
  const auto text = read_file(file, store_bytes_max);
  if (!text)
    return fail(text.error());
  std::string_view left = *text;
  while (left.find('\n') != left.npos) {
    const auto line = finished_.size() + 1;
    const auto refuse = [&](std::string why, std::string rule) {
      auto what = file_error(errc::invalid_document, file, std::move(why),
                             std::move(rule));
      what.line = line;
      what.column = 1;
      return fail(std::move(what));
    };
    const auto text_of_line = cut_line(left);
    if (!seals_.take(text_of_line))
      return refuse("does not have the seal that follows from the lines before "
                    "it: the file was edited; name a new folder",
                    "study_store");
    const auto parsed = parse_json(without_seal(text_of_line),
                                   {.bytes = store_bytes_max});
    const auto* object = parsed ? parsed->if_object() : nullptr;
    if (object == nullptr)
      return refuse("is not a JSON object: name a new folder", "study_store");
    if (text_of(*object, "study") != study_)
      return refuse("belongs to another study: its scenario, variations, seeds "
                    "or settings differ; name a new folder, or give what was "
                    "given then",
                    "study_other");
    if (integer_of(*object, "point") != static_cast<std::int64_t>(line)
        || line > points)
      return refuse("is not the next point: name a new folder", "study_store");
    auto point = decode_point(*object, seeds);
    if (!point)
      return refuse(point.error().message + ": name a new folder",
                    point.error().rule);
    finished_.push_back(*std::move(point));
  }
  return static_cast<std::int64_t>(text->size() - left.size());
}

result<point_store> point_store::open(const std::filesystem::path& folder,
                                      std::string study, std::uint64_t seeds,
                                      std::size_t points) {
  const auto exists = has_store(folder);
  if (!exists)
    return fail(exists.error());
  point_store made;
  made.study_ = std::move(study);
  auto held = folder_lock::take(folder);
  if (!held)
    return fail(std::move(held).error());
  made.held_ = *std::move(held);
  const auto file = folder / store_name;
  std::int64_t whole = 0;
  if (*exists) {
    const auto read = made.read(file, seeds, points);
    if (!read)
      return fail(read.error());
    whole = *read;
  }
  made.count_ = made.finished_.size();
  auto target = append_file::open(file);
  if (!target)
    return fail(std::move(target).error());
  if (whole < target->bytes())
    if (auto done = target->cut(whole); !done)
      return fail(std::move(done).error());
  made.target_ = *std::move(target);
  return made;
}

result<void> point_store::append(const point_result& next) {
  protocol::json::object line{{"study", study_}, {"point", ++count_}};
  for (auto& member : encode(next))
    line.emplace(member.key(), std::move(member.value()));
  return target_.append(seals_.seal(protocol::json::serialize(line)) + '\n');
}

} // namespace convene::host
