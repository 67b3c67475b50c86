#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace convene::cli {

/// A question as a terminal puts it. Its functions are called on the
/// terminal's thread.
struct terminal_form {
  enum class step : std::uint8_t {
    done,  ///< it is answered
    again, ///< it goes on; what to say, if anything, is in `text`
    show,  ///< show the question again
    help,
    quit
  };
  struct heard {
    step what = step::again;
    std::string text; ///< to be shown; may hold anything
  };

  std::string name;                  ///< before each line that is typed
  std::function<std::string()> text; ///< safe for a terminal, like `help`
  std::function<std::string()> help;
  std::function<heard(std::string_view line)> take;
};

} // namespace convene::cli
