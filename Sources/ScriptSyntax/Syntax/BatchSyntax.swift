/// A batch request: `batch update Book where pages > 100 { genre = "long" } returning count`.
package struct BatchSyntax: Hashable, Sendable {
  package var action: Action
  package var result: RequestResult

  package init(_ action: Action, returning result: RequestResult) {
    self.action = action
    self.result = result
  }

  /// The change to the store.
  package enum Action: Hashable, Sendable {
    /// One or more rows of the same entity.
    case insert([InsertSyntax])
    case update(RequestSyntax, [AttributeAssignment])
    case delete(RequestSyntax)
  }

  /// The kind of statement.
  var kind: StatementKind {
    switch action {
    case .insert: .batchInsert
    case .update: .batchUpdate
    case .delete: .batchDelete
    }
  }

  /// The parts of the statement.
  var parts: [StatementPart] {
    switch action {
    case .insert(let inserts): inserts.map { .insert($0) }
    case .update(let request, let values): [.update(request, values)]
    case .delete(let request): [.request(request)]
    }
  }
}
