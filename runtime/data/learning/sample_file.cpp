#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/learning/sample_file.hpp>

#include <string>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// How each line begins, so that a torn one is known to be ours.
constexpr std::string_view sample_start = R"({"sample_id":")";

tl::unexpected<error> too_many_samples(const std::string& file) {
  return fail({.code = errc::limit_reached,
               .message = "has " + std::to_string(sample_file_max)
                          + " samples, the most that one file may have; name "
                            "a new one",
               .file = file,
               .rule = "sample_file_max"});
}

} // namespace

result<sample_file> sample_file::open(const std::filesystem::path& file) {
  sample_file made;
  auto opened = line_file::open(
    file, sample_start,
    [&](std::string_view line, std::size_t) -> result<void> {
      const auto sample = parse_json(line);
      const auto id = sample && sample->is_object()
                        ? parse_uuid(text_of(sample->get_object(), "sample_id"))
                        : std::nullopt;
      if (!id)
        return fail(errc::usage, "is not a learning sample; name another file",
                    "line_file");
      if (made.known_.size() == sample_file_max)
        return too_many_samples(file.string());
      made.known_.insert(*id);
      return {};
    });
  if (!opened)
    return fail(std::move(opened).error());
  made.file_ = *std::move(opened);
  return made;
}

result<std::uint64_t>
sample_file::add(const std::vector<kept_sample>& samples) {
  std::string lines;
  std::set<uuid> added;
  for (const auto& each : samples) {
    const auto id = parse_uuid(each.id);
    if (!id || known_.contains(*id) || !added.insert(*id).second)
      continue;
    if (known_.size() + added.size() > sample_file_max)
      return too_many_samples(file_->name().string());
    lines += each.line + '\n';
  }
  if (lines.empty())
    return 0;
  if (auto done = file_->append(lines); !done)
    return fail(std::move(done).error());
  const auto count = added.size();
  known_.merge(added);
  return count;
}

} // namespace convene::host
