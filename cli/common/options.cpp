#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <convene/cli/common/command_table.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/nearest.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

void refuse_empty(CLI::App& app) {
  const option_check not_empty = [](const std::string& text) -> std::string {
    return text.empty() ? "is empty: give it a value, or leave it out" : "";
  };
  for (auto* option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->check(not_empty);
  for (auto* below : app.get_subcommands({}))
    refuse_empty(*below);
}

/// In the name of an option's type, before each of its words.
constexpr char word_list_begin = '|';

struct word_check {
  std::vector<std::string> words;

  std::string operator()(const std::string& text) const {
    if (std::ranges::find(words, text) != words.end())
      return {};
    std::string listed;
    for (std::size_t i = 0; i < words.size(); ++i)
      listed += (i == 0                  ? ""
                 : i + 1 == words.size() ? " or "
                                         : ", ")
                + words[i];
    const std::vector<std::string_view> known{words.begin(), words.end()};
    return "write " + listed + protocol::suggest(text, known);
  }

  [[nodiscard]] std::string type_name() const {
    std::string made;
    for (const auto& word : words)
      made.append(1, word_list_begin).append(word);
    return made;
  }
};

} // namespace

option_check whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, number);
    if (failed == std::errc{} && at == end && number >= least && number <= most)
      return {};
    return "give a whole number from " + std::to_string(least) + " to "
           + std::to_string(most);
  };
}

option_check one_of(std::vector<std::string> words) {
  return word_check{std::move(words)};
}

std::vector<std::string> words_in(std::string_view type_name) {
  std::vector<std::string> words;
  if (!type_name.starts_with(word_list_begin))
    return words;
  type_name.remove_prefix(1);
  while (!type_name.empty()) {
    const auto word = type_name.substr(0, type_name.find(word_list_begin));
    words.emplace_back(word);
    type_name.remove_prefix(std::min(type_name.size(), word.size() + 1));
  }
  return words;
}

declared_option declared_option::required() const {
  what_->required();
  return *this;
}

declared_option declared_option::needs(declared_option other) const {
  what_->needs(other.what_);
  return *this;
}

declared_option declared_option::excludes(declared_option other) const {
  what_->excludes(other.what_);
  return *this;
}

declared_option declared_option::with_commas() const {
  what_->delimiter(',')
    ->expected(1, CLI::detail::expected_max_vector_size)
    ->allow_extra_args();
  return *this;
}

template <class T>
declared_option
command_line::add(const std::string& name, T& into, option_check check) const {
  const auto& [names, value, about] = book_->option(path_, name);
  if constexpr (std::same_as<T, bool>) {
    return declared_option{*app_->add_flag(names, into, about)};
  } else {
    auto& made = *app_->add_option(names, into, about);
    made.option_text(value.empty() ? " " : value);
    if (is_list<T> && name.starts_with('-'))
      made.expected(1)->allow_extra_args(false)->take_all();
    if (const auto* of_words = check.template target<word_check>())
      made.type_name(of_words->type_name());
    if (check)
      made.check(std::move(check));
    return declared_option{made};
  }
}

template declared_option command_line::add(const std::string&, bool&,
                                           option_check) const;
template declared_option command_line::add(const std::string&, double&,
                                           option_check) const;
template declared_option command_line::add(const std::string&, std::uint32_t&,
                                           option_check) const;
template declared_option command_line::add(const std::string&, std::uint64_t&,
                                           option_check) const;
template declared_option command_line::add(const std::string&, std::int64_t&,
                                           option_check) const;
template declared_option command_line::add(const std::string&, std::string&,
                                           option_check) const;
template declared_option command_line::add(const std::string&,
                                           std::filesystem::path&,
                                           option_check) const;
template declared_option command_line::add(const std::string&,
                                           std::vector<std::string>&,
                                           option_check) const;
template declared_option command_line::add(const std::string&,
                                           std::vector<std::filesystem::path>&,
                                           option_check) const;
template declared_option command_line::add(const std::string&,
                                           std::optional<std::uint64_t>&,
                                           option_check) const;
template declared_option command_line::add(const std::string&,
                                           std::optional<std::string>&,
                                           option_check) const;

command_line command_line::add_group(std::string name) const {
  auto made = *this;
  made.path_ += (path_.empty() ? "" : " ") + name;
  const auto& words = book_->command(made.path_);
  made.app_ = app_->add_subcommand(std::move(name), words.about);
  made.app_->footer(words.footer);
  made.app_->group(words.group);
  return made;
}

void command_line::require_command() const {
  app_->require_subcommand(1);
}

void command_line::add_common() const {
  constexpr std::uint64_t threads_max = 1024;
  const declared_option common[]{
    add("--json", common_->json),
    add("--quiet", common_->quiet),
    add("--verbose", common_->verbose),
    add("--no-color", common_->no_color),
    add("--no-config", common_->no_config),
    add("--log-level", common_->log_level,
        one_of({"trace", "debug", "info", "warn", "error", "off"})),
    add("--threads", common_->threads, whole_number(1, threads_max)),
    declared_option{*app_->set_help_flag("--help,-h", "Print this help")}};
  for (const auto& one : common)
    one.what_->group(common_group);
}

declared_option command_line::operator[](const std::string& name) const {
  return declared_option{*app_->get_option(name)};
}

void command_line::excludes(declared_option other) const {
  app_->excludes(other.what_);
}

command_table command_line::whole_table() const {
  const auto* program = app_;
  while (program->get_parent() != nullptr)
    program = program->get_parent();
  return table_of(*program);
}

void command_line::refuse_empty_values() const {
  refuse_empty(*app_);
}

void command_line::on_chosen(action what) const {
  app_->callback([what = std::move(what), app = app_, chosen = chosen_] {
    if (app->get_subcommands().empty())
      *chosen = what;
  });
}

void add_fail_on(const command_line& command, std::string& what) {
  command.add("--fail-on", what, one_of({"turn-failure"}));
}

} // namespace convene::cli
