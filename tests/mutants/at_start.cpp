// Linked into the program: CONVENE_MUTANT names what it lacks.

#include <mutants/switch_off.hpp>

#include <cstdlib>
#include <iostream>

namespace {

const bool is_switched_off = [] {
  const char* name = std::getenv("CONVENE_MUTANT");
  if (name != nullptr && !convene::test::switch_off(name)) {
    std::cerr << "unknown mutant: " << name << '\n';
    std::exit(2);
  }
  return name != nullptr;
}();

} // namespace
