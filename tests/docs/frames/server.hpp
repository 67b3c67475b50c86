#include <convene/server/server.hpp>

#include <cstdlib>
#include <iostream>
