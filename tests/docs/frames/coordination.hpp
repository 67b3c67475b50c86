#include <convene/convene.hpp>

using namespace convene;
extern session_setup setup;
bool passed(const session::machine& now);
