import FetchedResults

extension Session {
  /// Lets variables follow objects that got other numbers.
  func renumber(_ renumbered: [(old: ObjectID, new: ObjectID)]) {
    let ids = Dictionary(renumbered.map { ($0.old, $0.new) }) { first, _ in first }
    scopes = scopes.map { scope in
      scope.mapValues { variable in
        guard case .value(let value) = variable else { return variable }
        return .value(value.renumbered(ids))
      }
    }
    if let last = tally.lastInserted, let new = ids[last] { tally.lastInserted = new }
  }
}

extension Value {
  fileprivate func renumbered(_ ids: [ObjectID: ObjectID]) -> Value {
    switch self {
    case .object(let id): .object(ids[id] ?? id)
    case .list(let values): .list(values.map { $0.renumbered(ids) })
    // What is not read yet is read by the new numbers.
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data, .unread: self
    }
  }
}
