extension ExpressionSyntax.Kind {
  /// How many levels of expressions stand below.
  var height: Int {
    switch self {
    case .null, .boolean, .integer, .real, .date, .object, .name, .variable: 0
    case .string(let parts):
      parts.reduce(0) { height, part in
        if case .interpolation(let value) = part { max(height, value.height) } else { height }
      }
    case .list(let values): values.maximumHeight
    case .range(let low, let high, isClosed: _): max(low.height, high.height)
    case .member(let base, _): base.height
    case .index(let base, let indices): max(base.height, indices.maximumHeight)
    case .call(_, let arguments): arguments.map(\.value).maximumHeight
    case .methodCall(let base, _, let arguments):
      max(base.height, arguments.map(\.value).maximumHeight)
    case .count(let request), .fetch(let request): request.clauses.height
    case .insert(let insert):
      max(insert.count?.height ?? 0, insert.values.map(\.value).maximumHeight)
    case .negation(let operand), .not(let operand): operand.height
    case .binary(let left, _, let right): max(left.height, right.height)
    }
  }
}

extension RequestClauses {
  fileprivate var height: Int {
    let values = [limit, offset, batch, cache].compactMap { $0 } + (predicate?.arguments ?? [])
    return values.maximumHeight
  }
}

extension [ExpressionSyntax] {
  fileprivate var maximumHeight: Int { reduce(0) { Swift.max($0, $1.height) } }
}
