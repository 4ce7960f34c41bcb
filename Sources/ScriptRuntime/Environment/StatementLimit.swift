/// A limit on what statements may take, for sessions whose statements somebody else wrote.
///
/// The session's environment and its evaluation ask ``excess`` again and again, and stop the running
/// statement.
package protocol StatementLimit: Sendable {
  /// Records the start of a statement.
  func beginStatement()

  /// Counts an event that is kept or printed.
  func note(_ event: Event)

  /// A description of the limit that was exceeded, such as `takes more than 10 s`; nil if none was.
  var excess: String? { get }
}
