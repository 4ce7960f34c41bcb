extension ExpressionSyntax {
  /// Whether the expression or a part of it matches.
  package func contains(where isMatch: (Kind) -> Bool) -> Bool {
    isMatch(kind) || kind.hasPart { $0.contains(where: isMatch) }
  }

  /// Whether the value is a literal, with no name to look up.
  package var isLiteral: Bool {
    switch kind {
    case .null, .boolean, .integer, .real, .date: true
    case .string(let parts):
      parts.allSatisfy { if case .text = $0 { true } else { false } }
    case .object, .list, .range, .name, .variable, .member, .index, .call, .methodCall, .count,
      .insert, .fetch, .negation, .not, .binary:
      false
    }
  }

  /// Whether computing the value may change something.
  ///
  /// An insert does, and so does a controller's first fetch.
  var mayChange: Bool {
    contains {
      switch $0 {
      case .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .name,
        .variable, .member, .index, .call, .methodCall, .count, .negation, .not, .binary:
        false
      }
    }
  }

  /// Whether computing the value reads the store.
  ///
  /// A variable with an object, and a controller, read it too. But these exist only after the store
  /// was opened.
  var looksAtObjects: Bool {
    contains {
      switch $0 {
      case .object, .count, .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .list, .range, .name, .variable,
        .member, .index, .call, .methodCall, .negation, .not, .binary:
        false
      }
    }
  }
}

extension ExpressionSyntax.Kind {
  /// The number of levels of expressions below.
  var height: Int {
    var height = 0
    _ = hasPart { part in
      height = max(height, part.height)
      return false
    }
    return height
  }

  /// Whether one of the direct parts matches.
  fileprivate func hasPart(where isMatch: (ExpressionSyntax) -> Bool) -> Bool {
    switch self {
    case .null, .boolean, .integer, .real, .date, .object, .name, .variable: false
    case .string(let parts):
      parts.contains { if case .interpolation(let value) = $0 { isMatch(value) } else { false } }
    case .list(let values): values.contains(where: isMatch)
    case .range(let left, let right, isClosed: _), .binary(let left, _, let right):
      isMatch(left) || isMatch(right)
    case .member(let value, _), .negation(let value), .not(let value): isMatch(value)
    case .index(let base, let indices): isMatch(base) || indices.contains(where: isMatch)
    case .call(_, let arguments): arguments.contains { isMatch($0.value) }
    case .methodCall(let base, _, let arguments):
      isMatch(base) || arguments.contains { isMatch($0.value) }
    case .count(let request), .fetch(let request): request.clauses.values.contains(where: isMatch)
    case .insert(let insert): insert.allValues.contains(where: isMatch)
    }
  }
}

extension RequestClauses {
  /// The values in the clauses, including those of the predicate.
  package var values: [ExpressionSyntax] {
    (predicate?.arguments ?? []) + (having?.arguments ?? [])
      + [limit, offset, batch, cache].compactMap(\.self)
  }
}

extension InsertSyntax {
  /// The values of the attributes, and the count.
  var allValues: [ExpressionSyntax] { [count].compactMap(\.self) + values.map(\.value) }
}
