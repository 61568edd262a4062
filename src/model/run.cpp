#include "visviva/model/run.hpp"

namespace visviva::model {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::Impact:
      return "impact";
    case EventKind::Zeno:
      return "zeno";
    case EventKind::Rest:
      return "rest";
    case EventKind::Wake:
      return "wake";
    case EventKind::HalvedStep:
      return "halved_step";
    case EventKind::Break:
      return "break";
    case EventKind::Bond:
      return "bond";
  }
  return "";
}

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::Completed:
      return "completed";
    case RunStatus::Interrupted:
      return "interrupted";
    case RunStatus::Zeno:
      return "zeno";
    case RunStatus::Failed:
      return "failed";
  }
  return "";
}

}  // namespace visviva::model
