import Basics
import Glibc
import Testing

@Suite struct KeyFuzzTests {
  /// The number of keys in a session.
  private static let keys = 240

  /// The seeds of sessions that once failed.
  private static let failed: [UInt64] = [
    1005, 1008, 10000, 20000, 40020, 40029, 40035, 900103, 900284, 900352,
    2_088_267_902_981_125_539,
  ]

  /// A number in the environment.
  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  @Test(
    "whatever is typed, the program answers, types no rubbish, and runs what it shows",
    arguments: ["-e", "-v"])
  func random(_ mode: String) throws {
    // FRC_FUZZ_KEYS=50000 FRC_FUZZ_SEED=1 types 50,000 keys, beginning with seed 1.
    let sessions = (Self.number("FRC_FUZZ_KEYS").map(Int.init(clamping:)) ?? 480) / Self.keys
    let first = Self.number("FRC_FUZZ_SEED") ?? drawnSeed()
    for session in 0..<max(1, sessions) { try run(mode, first &+ UInt64(session)) }
  }

  @Test("sessions that once failed", arguments: ["-e", "-v"], Self.failed)
  func seed(_ mode: String, _ seed: UInt64) throws { try run(mode, seed) }

  private func run(_ mode: String, _ seed: UInt64) throws {
    do {
      try KeyFuzz(mode: mode, seed: seed).run(keys: Self.keys)
    } catch {
      Issue.record("FRC_FUZZ_SEED=\(seed) FRC_FUZZ_KEYS=\(Self.keys), \(mode): \(error)")
    }
  }
}
