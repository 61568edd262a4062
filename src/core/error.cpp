#include "visviva/core/error.hpp"
