import Foundation

/// How many rounds the laws of contexts have.
package enum LawLength {
  /// Whether `FRC_LAWS=long` asks for the long form.
  package static var isLong: Bool {
    ProcessInfo.processInfo.environment["FRC_LAWS"] == "long"
  }

  /// One of two numbers, by the form.
  package static func rounds(_ short: Int, long: Int) -> Int { isLong ? long : short }
}
