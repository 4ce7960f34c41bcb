/// A message with a place.
package struct Diagnostic: Hashable, Sendable {
  package var severity: Severity
  /// Lower case, without a full stop.
  package var message: String
  /// In bytes from the start of the source.
  package var range: Range<Int>
  /// What may be in place of the range, so that the message goes; nil if nobody but the author can
  /// tell.
  package var replacement: String?

  package init(
    severity: Severity = .error, message: String, range: Range<Int>, replacement: String? = nil
  ) {
    self.severity = severity
    self.message = message
    self.range = range
    self.replacement = replacement
  }

  /// How bad it is; the raw value is the word that comes before the message.
  package enum Severity: String, Hashable, Sendable {
    case warning
    case error
  }
}
