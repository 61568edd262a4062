#include "visviva/math/types.hpp"
