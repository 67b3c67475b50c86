#pragma once

#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/reactive.hpp>
#include <convene/protocol/codec/object_reader.hpp>

namespace convene::actors {

/// Bounds of a reactive participant: its rules, and of a rule its replies and
/// the conditions within one.
inline constexpr std::size_t reactive_rules_max = 1'000;
inline constexpr std::size_t reactive_choices_max = 100;

/// Reads a condition of a rule.
bool read(protocol::reading& r, const protocol::json::value& from,
          const protocol::place& at, const protocol::constraint& rule,
          reactive_condition& to);

/// Reads `{"type": "reactive", ...}` as docs/reactive.md has it. Names that
/// `values` of the settings, or the participant itself, give a value are
/// replaced at once; others are refused, rule `unknown_name`. `is_own`: whether
/// the rules have names that may stand for something else for others.
bool read_reaction(protocol::reading& r, const protocol::json::value& from,
                   const protocol::place& at, const behaviour_setup& whose,
                   reaction& to, bool& is_own);

} // namespace convene::actors
