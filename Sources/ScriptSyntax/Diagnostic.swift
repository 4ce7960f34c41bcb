/// A message with a place.
package struct Diagnostic: Hashable, Sendable {
  package var severity: Severity
  /// Lower case, without a full stop.
  package var message: String
  /// In bytes from the start of the source.
  package var range: Range<Int>

  package init(severity: Severity = .error, message: String, range: Range<Int>) {
    self.severity = severity
    self.message = message
    self.range = range
  }

  /// How bad it is; the raw value is the word that stands before the message.
  package enum Severity: String, Hashable, Sendable {
    case warning
    case error
  }
}
