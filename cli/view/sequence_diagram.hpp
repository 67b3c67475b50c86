#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace convene::cli {

/// Lines of a diagram; events beyond are only counted. Nobody can read more.
inline constexpr std::size_t diagram_lines_max = 5'000;

/// Turns one session's events, in their order, into a Mermaid sequence diagram:
/// who was asked what, and what came back. Everything from outside is made
/// neutral and escaped: no text can end a line or become syntax.
class sequence_diagram {
public:
  /// An event that has nothing to show, or that is not what docs/events.md
  /// says, is passed over.
  void add(const boost::json::object& event);

  /// The whole diagram, with its line ends.
  [[nodiscard]] std::string text() const;

private:
  const std::string& actor(std::string_view participant);
  void arrow(const std::string& from, std::string_view arrow,
             const std::string& to, std::string_view what,
             std::string_view said);
  void note(const std::string& over, std::string_view what,
            std::string_view said);
  void line(std::string text);
  void assign(const boost::json::object& payload);
  void show_input(const boost::json::object& payload);

  std::map<std::string, std::string, std::less<>> actors_; ///< by participant
  std::string title_;
  std::string heads_;
  std::string body_;
  std::size_t lines_ = 0;
  std::size_t hidden_ = 0;
};

/// `text` as a label: one line, cut, with everything that Mermaid reads as
/// syntax as a character code.
[[nodiscard]] std::string diagram_label(std::string_view text);

} // namespace convene::cli
