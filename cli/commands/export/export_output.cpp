#include <boost/json/serialize.hpp>
#include <convene/cli/commands/export/export_output.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/text/base64.hpp>

namespace convene::cli {
namespace {

using namespace convene::protocol;

std::string json_quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string_view{text});
}

/// A piece of a JSON string, without the quotes around it.
void print_inside_string(std::string_view piece) {
  const auto whole = json_quoted(piece);
  print_json_text(std::string_view{whole}.substr(1, whole.size() - 2));
}

/// Base64 of a text whose pieces are not as long as base64 needs them.
class base64_printer {
public:
  void add(std::string_view piece) {
    constexpr std::size_t unit = 3;
    left_ += piece;
    const auto whole = left_.size() - left_.size() % unit;
    print(to_base64(std::string_view{left_}.substr(0, whole)));
    left_.erase(0, whole);
  }
  void end() const {
    print(to_base64(left_));
  }

private:
  std::string left_;
};

result<void> print_file(const made_files& made, const made_files::file& file,
                        bool is_text) {
  print_json_text("    {\n      \"file\": " + json_quoted(file.name)
                  + ",\n      \"" + (is_text ? "text" : "base64") + "\": \"");
  base64_printer bytes;
  auto done = made.read(file, [&](std::string_view piece) {
    if (is_text)
      print_inside_string(piece);
    else
      bytes.add(piece);
  });
  if (!is_text)
    bytes.end();
  print("\"\n    }");
  return done;
}

} // namespace

result<void> print_made_json(const made_files& made, bool is_text,
                             const std::vector<std::string>& notes) {
  print("{\n  \"files\": [\n");
  for (std::size_t i = 0; i < made.files().size(); ++i) {
    if (i != 0)
      print(",\n");
    if (auto done = print_file(made, made.files()[i], is_text); !done)
      return done;
  }
  print("\n  ],\n  \"notes\": [");
  for (std::size_t i = 0; i < notes.size(); ++i)
    print_json_text((i == 0 ? "\n    " : ",\n    ") + json_quoted(notes[i]));
  print(notes.empty() ? "]\n}\n" : "\n  ]\n}\n");
  return {};
}

result<void> print_json_with_text(const boost::json::object& document,
                                  std::string_view name,
                                  const host::spool& text) {
  constexpr std::string_view end{"\n}\n"};
  const auto whole = pretty_object(document);
  print_json_text(std::string_view{whole}.substr(0, whole.size() - end.size()));
  print(",\n  " + json_quoted(name) + ": \"");
  auto done = text.read(print_inside_string);
  print("\"");
  print(end);
  return done;
}

} // namespace convene::cli
