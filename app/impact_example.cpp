#include "impact_cases.hpp"

namespace visviva::app {

std::string_view example_case_file() {
  return R"({
  "cases": [
    {
      "name": "a ball with side spin on the floor",
      "bodies": [
        {"infinite": true},
        {"mass": 0.43, "inertia": [0.0035, 0.0035, 0.0035], "com": [0, 0, 0.11],
         "velocity": [3, 0, -4], "angular_velocity": [-20, 0, 0]}
      ],
      "contact": [0, 0, 0],
      "normal": [0, 0, 1],
      "mu": 0.5,
      "e": 0.8,
      "law": "stronge"
    },
    {
      "name": "two bodies known by their W, in the contact frame",
      "W": [[11.5984, -0.910367, 2.44236], [-0.910367, 9.90134, 1.95747], [2.44236, 1.95747, 2.59042]],
      "v": [-0.262, 0.386, -0.827],
      "mu": 0.4,
      "e": 0.95,
      "law": "stronge",
      "method": "exact"
    }
  ]
}
)";
}

}  // namespace visviva::app
