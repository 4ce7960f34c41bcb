/// A statement that `swift` shows as code for an app; it does not run.
package struct CodedStatement: Hashable, Sendable {
  package var action: Action
  /// The range of the statement itself.
  package var range: Range<Int>

  /// The action of the statement.
  package enum Action: Hashable, Sendable {
    case batch(BatchSyntax)
    case count(RequestSyntax)
    case fetch(RequestSyntax)
    case merge(Name, into: Name)
    case mergeHistory(by: ExpressionSyntax?, into: Name)
    case history(by: ExpressionSyntax?, after: ExpressionSyntax?)
    case deleteHistory(before: ExpressionSyntax?)
    case obtainIDs(ExpressionSyntax?)
  }

  /// The statement's own words.
  package var words: String {
    switch action {
    case .batch(let batch): batch.kind.rawValue
    case .count: StatementKind.count.rawValue
    case .fetch: StatementKind.fetch.rawValue
    case .merge: StatementKind.merge.rawValue
    case .mergeHistory: StatementKind.mergeHistory.rawValue
    case .history: StatementKind.history.rawValue
    case .deleteHistory: StatementKind.deleteHistory.rawValue
    case .obtainIDs: StatementKind.obtainIDs.rawValue
    }
  }

  /// The parts of the statement.
  var parts: [StatementPart] {
    switch action {
    case .batch(let batch): batch.parts
    case .count(let request), .fetch(let request): [.request(request)]
    case .merge(let source, into: let target):
      [.name(source, .mergeSource), .name(target, .context)]
    case .mergeHistory(let author, into: let target):
      [author.map { .value($0) }, .name(target, .context)].compactMap(\.self)
    case .history(let author, let number):
      [author, number].compactMap { $0.map { .value($0) } }
    case .deleteHistory(let number): number.map { [.value($0)] } ?? []
    case .obtainIDs(let value): value.map { [.value($0)] } ?? []
    }
  }
}

extension CodedStatement.Action {
  /// Creates the action of a statement that `swift` has code for; nil for any other.
  init?(_ kind: Statement.Kind) {
    if case .batch(let batch) = kind {
      self = .batch(batch)
    } else if case .count(let request) = kind {
      self = .count(request)
    } else if case .fetch(let request) = kind {
      self = .fetch(request)
    } else if case .merge(let source, into: let target) = kind {
      self = .merge(source, into: target)
    } else if case .mergeHistory(by: let author, into: let target) = kind {
      self = .mergeHistory(by: author, into: target)
    } else if case .history(by: let author, after: let number) = kind {
      self = .history(by: author, after: number)
    } else if case .deleteHistory(before: let number) = kind {
      self = .deleteHistory(before: number)
    } else if case .obtainIDs(let value) = kind {
      self = .obtainIDs(value)
    } else {
      return nil
    }
  }
}
