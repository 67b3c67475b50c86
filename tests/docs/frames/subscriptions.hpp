#include <convene/convene.hpp>

#include <iostream>
