#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How long random tests run.
package enum LawForm: String {
  /// Every law has about a second, and always the same seeds, so that a run that passes once
  /// passes again.
  case short
  /// Every law has a minute or two, and new seeds.
  case long

  /// The form that `FRC_LAWS` names; short without it.
  package static let current: LawForm = {
    guard let name = variable("FRC_LAWS"), !name.isEmpty else { return .short }
    guard let form = LawForm(rawValue: name) else {
      fatalError("FRC_LAWS is '\(name)'; expected 'long' or 'short'")
    }
    return form
  }()

  /// Whether this run has the long form, for tests that count rounds instead of seconds.
  package static var isLong: Bool { current == .long }

  /// Returns a number of rounds, for a law whose rounds are not seeds.
  package static func rounds(_ short: Int, long: Int) -> Int { isLong ? long : short }

  /// Returns the value of a variable of the environment; nil if it is not set.
  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
