#pragma once

#include <convene/runtime/data/yaml/text_place.hpp>
#include <convene/runtime/data/yaml/yaml_library.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

// For sources in this folder only.

namespace convene::host {

/// The events of a YAML text, in UTF-8 without a byte order mark. libyaml does
/// not recurse, and reads no further than it must for the next event.
class yaml_events {
public:
  /// The text must outlive this.
  yaml_events(const yaml_library& with, std::string_view text);

  /// The next event, valid until the next call.
  [[nodiscard]] protocol::result<const yaml_event_t*> next();

  /// The place of a mark, which is never before an earlier one.
  [[nodiscard]] text_place place_of(const yaml_mark_t& mark);

private:
  struct parser_delete {
    decltype(&::yaml_parser_delete) with;
    void operator()(yaml_parser_t* what) const;
  };
  struct event_delete {
    decltype(&::yaml_event_delete) with;
    void operator()(yaml_event_t* what) const;
  };

  [[nodiscard]] protocol::error fault();

  const yaml_library& library_;
  std::string_view text_;
  std::unique_ptr<yaml_parser_t, parser_delete> parser_;
  std::unique_ptr<yaml_event_t, event_delete> event_;
  std::size_t characters_ = 0; ///< before `at_`
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

} // namespace convene::host
