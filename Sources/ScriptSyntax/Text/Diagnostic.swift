/// A message with a place.
package struct Diagnostic: Hashable, Sendable {
  package var severity: Severity
  /// The text, in lower case and without a full stop.
  package var message: String
  /// The place, in bytes from the start of the source.
  package var range: Range<Int>
  /// The text that can replace the range to fix the problem; nil if only the author can know it.
  package var replacement: String?

  package init(
    severity: Severity = .error, message: String, range: Range<Int>, replacement: String? = nil
  ) {
    self.severity = severity
    self.message = message
    self.range = range
    self.replacement = replacement
  }

  /// The severity; the raw value is the word before the message.
  package enum Severity: String, Hashable, Sendable {
    case warning
    case error
  }
}
