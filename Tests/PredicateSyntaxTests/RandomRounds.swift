import Foundation

/// How many random rounds a test makes: ten times as many with `FRC_LONG=1`.
let randomRounds =
  ProcessInfo.processInfo.environment["FRC_LONG"] == "1" ? 100_000 : 10_000
