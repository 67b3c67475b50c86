#include <convene/runtime/files.hpp>
#include <convene/runtime/validation/json_files.hpp>
#include <convene/runtime/validation/validate_files.hpp>

#include <system_error>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

result<file_verdict> check_file(const fs::path& file,
                                const validation_rules& rules) {
  file_verdict out{.file = file.string()};
  if (is_json_lines(file)) {
    const auto done
      = visit_lines(file, [&](std::string_view line, std::size_t number) {
          return check_line(line, number, rules, out);
        });
    if (!done)
      return fail(done.error());
    return out;
  }
  const auto text = read_file(file);
  if (!text)
    return fail(text.error());
  if (auto done = check_document(*text, rules, out); !done)
    return fail(done.error());
  return out;
}

} // namespace

result<void> validate_files(const fs::path& path, const std::string& schema,
                            const verdict_visitor& visit) {
  std::error_code ignored;
  std::vector<fs::path> files{path};
  const bool is_folder = fs::is_directory(path, ignored);
  if (is_folder) {
    auto found = json_files(path);
    if (!found)
      return fail(found.error());
    files = std::move(*found);
  }
  for (const auto& file : files) {
    const auto checked
      = check_file(file, {.schema = schema, .unknown_is_error = !is_folder});
    if (!checked)
      return fail(checked.error());
    visit(*checked);
  }
  return {};
}

} // namespace convene::host
