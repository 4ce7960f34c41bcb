package import ScriptRuntime
package import SeededRandom

/// Writes random turns for whoever runs them: changes of the objects that a session has.
package struct RandomTurns {
  private var writer: TurnWriter

  /// Looks at the objects that the session has now.
  package init(_ session: Session) { writer = TurnWriter(session) }

  /// Returns one turn, as a statement.
  ///
  /// - Parameter count: How many changes it may make at most.
  package mutating func turn(atMost count: Int, _ random: inout SeededGenerator) -> String {
    writer.changes(atMost: count, &random)
  }
}
