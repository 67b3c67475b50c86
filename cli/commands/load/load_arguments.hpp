#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/cli/commands/inbox/inbox_arguments.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/lab/load/load_run.hpp>
#include <convene/lab/simulation/scenario_for_seed.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::cli {

/// The options of `convene load`, as they were given.
struct load_arguments {
  host::scenario_input scenario; ///< no path: sessions are made up
  std::vector<std::string> stand_ins;
  std::string trace; ///< file or folder; empty: none is replayed
  double speed = 1;
  std::string modes = "round_robin";
  host::load_shape shape;
  std::string think = "0ms";
  std::string turn_timeout;   ///< empty: the scenario's default
  std::string sessions = "1"; ///< at a time
  std::string rate;           ///< empty: a closed loop
  std::string stages;         ///< empty: one, of `duration`
  std::string duration = "30s";
  std::string warm_up; ///< empty: a tenth of the duration, 5 s at most
  std::string drain = "10s";
  std::string log; ///< folder; empty: there is none
  std::string durability = "group";
  inbox_arguments server;        ///< for its key
  std::vector<std::string> urls; ///< empty: in this process
  std::vector<std::string> allow;
  std::uint32_t connections = 64;
  std::vector<std::string> assertions;
  bool abort_on_fail = false;
  std::string fail_on; ///< empty: not given
  std::string baseline;
  std::string tolerance = "20%";
  std::string out;
};

/// Declares the options of `convene load`.
void add_arguments(const command_line& command, load_arguments& arguments);

/// An error about the value of an option.
[[nodiscard]] protocol::error about_option(const char* option,
                                           protocol::error why);

/// The time that an option gives.
[[nodiscard]] protocol::result<host::load_time>
time_of_option(const char* option, const std::string& text);

/// Sets which sessions a load is made of, and when those of a trace start.
[[nodiscard]] protocol::result<void>
set_sessions(const load_arguments& arguments, host::load_plan& into);

/// A load that can be carried out.
struct load_setup {
  host::load_plan plan;
  /// What is in it, for the summary: two loads with the same are comparable.
  boost::json::object description;
  boost::json::value baseline; ///< if one was named
  double tolerance = 0;
};

/// Checks all that was given, and reads what it names. Opens and starts
/// nothing.
[[nodiscard]] protocol::result<load_setup>
set_up_load(const load_arguments& arguments, const common_options& common);

} // namespace convene::cli
