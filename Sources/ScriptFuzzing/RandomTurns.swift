package import Basics
package import FetchedResults
package import ScriptRuntime

/// Makes random turns: changes of the objects that a session has.
package struct RandomTurns {
  private var writer: TurnWriter

  /// Reads the objects that the session has now.
  ///
  /// - Parameter keys: Properties that turns do not change, such as the sort keys where no row may
  ///   move. A key path stands for each of its parts.
  package init(_ session: Session, keeping keys: [String] = []) {
    writer = TurnWriter(session)
    writer.kept = Set(keys.flatMap { $0.split(separator: ".").map(String.init) })
  }

  /// Returns one turn, as a statement.
  ///
  /// - Parameter count: The largest number of changes in it.
  package mutating func turn(atMost count: Int, _ random: inout SeededGenerator) -> String {
    writer.changes(atMost: count, &random)
  }

  /// Returns a statement that inserts an object with random values.
  package func insertion(
    of entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String {
    writer.insert(entity, &random)
  }
}
