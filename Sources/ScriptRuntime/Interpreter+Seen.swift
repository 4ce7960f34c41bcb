import FetchedResults

extension Interpreter {
  /// What the session's controllers show, in order of their definition.
  ///
  /// - Complexity: O(*n*) in the rows, up to ``SeenController/mostRows``.
  package var seenControllers: [SeenController] {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    let count = bindings.reduce(0) { $0 + ($1.controller.fetchedObjects?.count ?? 0) }
    let withRows = count <= SeenController.mostRows
    return bindings.map { SeenController($0, withRows: withRows) }
  }

  /// Returns a controller's sections with the marks of the last turn; nil if it has not fetched, or
  /// if there is no such controller.
  package func markedSections(of name: String) -> MarkedSections? {
    guard let binding = session.controllers[name] else { return nil }
    let tables = session.tableNames.compactMap { session.tables[$0] }
      .filter { $0.controller === binding }
    return MarkedSections(binding, commands.turnLog, tables: tables)
  }

  /// The statement of the last turn, with the explanations of its callbacks; nil if nothing has
  /// changed yet.
  package var lastTurn: (statement: String, explanations: [Explanation])? {
    let log = commands.turnLog
    guard !log.entries.isEmpty else { return nil }
    return (log.title ?? "", TurnExplainer(log, session).explanations)
  }
}
