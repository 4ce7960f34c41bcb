import FetchedResults
import ScriptSyntax

/// What a checker borrows of an interpreter: definitions without their values.
extension Interpreter {
  /// Gives a name to a request or a controller of an entity.
  func define(
    _ name: Name, of entity: EntityDescription, isController: Bool
  ) throws(ScriptError) {
    try refuseEntity(name)
    let request = FetchRequest(
      entity: entity, sortDescriptors: [FetchSortDescriptor(key: "")])
    guard isController else {
      session.define(RequestDefinition(request: request), as: name.text)
      return
    }
    let controller = try locating(name.range) {
      try FetchedResultsController(
        fetchRequest: request, managedObjectContext: session.context)
    }
    session.define(ControllerBinding(name: name.text, controller: controller))
  }

  /// Checks a predicate's keys, whatever values its arguments will have.
  ///
  /// - Returns: Warnings of comparisons that tell nothing.
  func checkPredicate(
    _ syntax: EmbeddedPredicate, on entity: EntityDescription
  ) throws(ScriptError) -> [Diagnostic] {
    let predicate = FetchPredicate(
      tree: syntax.tree, arguments: syntax.arguments.map(knownValue),
      variables: Dictionary(syntax.variables.map { ($0.text, .null) }) { first, _ in first })
    try compile(predicate, on: entity, syntax.range)
    return predicate.misfits(for: entity).map { $0.diagnostic(in: syntax) }
  }

  /// A value of the kind that an expression will have; nil where only the run
  /// will tell.
  private func knownValue(_ expression: ExpressionSyntax) -> Value {
    switch expression.kind {
    case .date: (try? scalar(expression)) ?? .null
    case .string: .string("")
    case .null, .boolean, .integer, .real, .object, .list, .range, .name, .variable, .member,
      .index, .call, .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      .null
    }
  }

  /// Checks that there is a function of a name.
  func checkFunction(_ name: Name) throws(ScriptError) {
    guard Self.functions[name.text] == nil else { return }
    let isEntity = session.coordinator.managedObjectModel[name.text] != nil
    let suggestion =
      isEntity
      ? "insert \(name.text)" : nearestName(to: name.text, among: Self.functions.keys.sorted())
    throw failure(.unknownFunction(name.text, suggestion: suggestion), name.range)
  }
}
