#include <convene/cli/common/settings.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/runtime/data/scenario/source_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr const char* file_name = "convene.jsonc";
constexpr std::size_t settings_bytes_max = std::size_t{1} << 20;

/// What the working folder's file may have: nothing that reaches outside,
/// names a file or a secret, changes a scenario, weakens a check, or says how
/// much is run and kept.
constexpr std::array<std::string_view, 8> harmless{"fail_on",   "format",
                                                   "log_level", "no_color",
                                                   "quiet",     "show_text",
                                                   "threads",   "verbose"};

fs::path in_environment(const char* name) {
  const char* text = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? fs::path{} : fs::path{text};
}

/// Options that only a command line can have: they are read before the files,
/// or instead of a command.
constexpr std::array<std::string_view, 3> of_command_line{"help", "no_config",
                                                          "version"};

/// Like `suggest`; nothing for what only a command line can have.
std::string nearest(std::string name,
                    const std::vector<std::string_view>& known) {
  std::ranges::replace(name, '-', '_');
  return std::ranges::find(of_command_line, name) == of_command_line.end()
           ? suggest(name, known)
           : std::string{};
}

/// The settings of one file.
class settings_reader {
public:
  settings_reader(const fs::path& file, bool is_own, const fs::path& own,
                  const usage_book& known)
    : file_{file}, is_own_{is_own}, own_{own}, known_{known} {}

  result<void> read(std::vector<setting>& all) {
    std::error_code failed;
    if (file_.empty() || !fs::exists(fs::symlink_status(file_, failed)))
      return {};
    auto text = host::read_file(file_, settings_bytes_max);
    if (!text)
      return fail(std::move(text).error());
    auto parsed = host::parse_source(*std::move(text), file_, true);
    if (!parsed) {
      auto why = host::in_file(std::move(parsed).error(), file_);
      why.code = errc::usage;
      if (!is_own_)
        why.value.clear(); // it may be a link to a file of secrets
      return fail(std::move(why));
    }
    text_ = &parsed->text;
    if (!parsed->value.is_object())
      return refuse("", "write an object with settings");
    return read_members(parsed->value.get_object(), {}, {}, all);
  }

private:
  result<void> read_members(const json::object& from,
                            const std::string& command, const std::string& at,
                            std::vector<setting>& all) {
    const auto names = names_for(command);
    const std::vector<std::string_view> known{names.begin(), names.end()};
    const auto commands = known_.command_names();
    for (const auto& [key, value] : from) {
      const std::string name{key};
      auto pointer = at;
      append_to_pointer(pointer, name);
      if (at.empty() && name == "$schema")
        continue;
      if (std::ranges::find(names, name) == names.end())
        return refuse(pointer, "unknown setting" + nearest(name, known)
                                 + "; convene help COMMAND lists the options, "
                                   "whose dashes are underscores here");
      if (command.empty()
          && std::ranges::find(commands, name) != commands.end()) {
        if (!value.is_object())
          return refuse(pointer, "write an object with settings");
        if (auto done = read_members(value.get_object(), name, pointer, all);
            !done)
          return done;
        continue;
      }
      if (!is_own_ && std::ranges::find(harmless, name) == harmless.end())
        return refuse(pointer,
                      "a file in the working folder cannot set this, as it may "
                      "come from a stranger: move it to "
                        + (own_.empty() ? "your own file" : own_.string())
                        + ", or give the option");
      if (name == variables_setting)
        if (auto done = check_variables(value, pointer); !done)
          return done;
      all.push_back({command, name, value, place(pointer)});
    }
    return {};
  }

  [[nodiscard]] result<void> check_variables(const json::value& value,
                                             const std::string& at) const {
    if (!value.is_object())
      return refuse(at, "write an object: {\"NAME\": \"value\"}");
    for (const auto& [name, text] : value.get_object()) {
      auto pointer = at;
      append_to_pointer(pointer, name);
      if (!host::is_variable_name(name))
        return refuse(pointer,
                      "a variable's name has letters, digits and underscores, "
                      "and does not begin with a digit");
      if (!text.is_string() && !text.is_number() && !text.is_bool())
        return refuse(pointer, "write a text, a number, true or false");
    }
    return {};
  }

  /// The settings that may stand there.
  [[nodiscard]] std::vector<std::string>
  names_for(const std::string& command) const {
    auto names = known_.option_names(command);
    for (auto& name : names) {
      name.erase(0, name.find_first_not_of('-'));
      std::ranges::replace(name, '-', '_');
    }
    std::erase_if(names, [](const std::string& name) {
      return std::ranges::find(of_command_line, name) != of_command_line.end();
    });
    if (!command.empty())
      return names;
    names.emplace_back(variables_setting);
    for (auto& name : known_.command_names())
      names.push_back(std::move(name));
    return names;
  }

  [[nodiscard]] error place(const std::string& pointer) const {
    const auto [line, column] = text_->locate(pointer);
    return {.code = errc::usage,
            .file = file_.string(),
            .pointer = pointer,
            .rule = "setting",
            .line = line,
            .column = column};
  }

  [[nodiscard]] tl::unexpected<error> refuse(const std::string& pointer,
                                             std::string message) const {
    auto why = place(pointer);
    why.message = std::move(message);
    return fail(std::move(why));
  }

  const fs::path& file_;
  const bool is_own_;
  const fs::path& own_;
  const usage_book& known_;
  const host::source_text* text_ = nullptr;
};

} // namespace

settings_files usual_settings_files() {
  // A relative path is invalid by the XDG specification.
  auto folder = in_environment("XDG_CONFIG_HOME");
  if (!folder.is_absolute()) {
    const auto home = in_environment("HOME");
    folder = home.is_absolute() ? home / ".config" : fs::path{};
  }
  return {.own = folder.empty() ? folder : folder / "convene" / file_name,
          .of_folder = file_name};
}

result<std::vector<setting>> read_settings(const settings_files& from,
                                           const usage_book& known) {
  std::vector<setting> all;
  auto done
    = settings_reader{from.own, true, from.own, known}.read(all).and_then([&] {
        return settings_reader{from.of_folder, false, from.own, known}.read(
          all);
      });
  if (!done)
    return fail(std::move(done).error());
  return all;
}

} // namespace convene::cli
