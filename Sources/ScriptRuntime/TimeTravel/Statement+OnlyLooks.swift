import ScriptSyntax

extension Statement.Kind {
  /// Whether a statement changes nothing of a session, for sure.
  var onlyLooks: Bool {
    switch self {
    case .show, .showRequest, .showModel, .objects, .caches, .stats, .swift: true
    case .print(let value), .expect(let value): !value.mayChange
    case .explain(let value): value?.mayChange != true
    case .evaluate(let predicate, on: let value):
      !value.mayChange && !predicate.arguments.contains(where: \.mayChange)
    case .count(let request): !request.mayChange
    // A `try` forgets what its statement failed with, and changes no more than that.
    case .try(let statement): statement.kind.onlyLooks
    case .entity, .model, .storeMemory, .storeSQLite, .save, .rollback, .reset, .process,
      .context, .merge, .automerge, .refresh, .refreshAll, .undo, .redo,
      .insert, .let, .assign, .update, .importRows, .delete, .deleteMatching,
      .perform, .for, .if, .repeat, .include, .set,
      .request, .storedRequest, .controller, .fetch, .change, .delegate, .ownDelegate, .return,
      .deleteCache, .deleteCaches,
      .table, .suspend, .resume, .reload, .trace, .quirk:
      false
    }
  }
}

extension RequestSyntax {
  fileprivate var mayChange: Bool {
    clauses.predicate?.arguments.contains(where: \.mayChange) ?? false
  }
}

extension ExpressionSyntax {
  /// Whether to evaluate it may insert something; a fetch counts, since it may
  /// be an object's first.
  fileprivate var mayChange: Bool {
    switch kind {
    case .insert, .fetch: true
    case .count(let request): request.mayChange
    case .null, .boolean, .integer, .real, .date, .name, .variable, .object: false
    case .string(let parts):
      parts.contains { part in
        if case .interpolation(let value) = part { value.mayChange } else { false }
      }
    case .list(let elements): elements.contains(where: \.mayChange)
    case .range(let left, let right, _), .binary(let left, _, let right):
      left.mayChange || right.mayChange
    case .negation(let value), .not(let value), .member(let value, _): value.mayChange
    case .index(let value, let indices): ([value] + indices).contains(where: \.mayChange)
    case .call(_, let arguments): arguments.contains { $0.value.mayChange }
    case .methodCall(let value, _, let arguments):
      value.mayChange || arguments.contains { $0.value.mayChange }
    }
  }
}
