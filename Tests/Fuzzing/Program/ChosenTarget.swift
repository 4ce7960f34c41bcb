import Foundation
import FuzzTargets

/// The target that `FRC_FUZZ_TARGET` names.
let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FRC_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    preconditionFailure("FRC_FUZZ_TARGET '\(name)' is no target")
  }
  return target
}()
