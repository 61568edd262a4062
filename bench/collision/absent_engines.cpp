// Engines that were not installed when this was built.
#include "bench/collision/pair_engine.hpp"

namespace visviva::bench {

#ifndef VISVIVA_HAS_FCL
std::unique_ptr<PairEngine> make_fcl_engine() { return nullptr; }
#endif
#ifndef VISVIVA_HAS_LIBCCD
std::unique_ptr<PairEngine> make_libccd_engine() { return nullptr; }
#endif
#ifndef VISVIVA_HAS_BULLET
std::unique_ptr<PairEngine> make_bullet_engine() { return nullptr; }
#endif

}  // namespace visviva::bench
