#include <convene/convene.hpp>
#include <convene/modes/catalog.hpp>
