import FetchedResults

extension ScriptValue {
  /// The value with the numbers that objects have got.
  func renumbered(_ ids: [ObjectID: ObjectID]) -> ScriptValue {
    guard case .value(let value) = self else { return self }
    return .value(value.renumbered(ids))
  }
}

extension PropertyValue {
  fileprivate func renumbered(_ ids: [ObjectID: ObjectID]) -> PropertyValue {
    switch self {
    case .object(let id): .object(ids[id] ?? id)
    case .list(let values): .list(values.map { $0.renumbered(ids) })
    // What is not read yet is read by the new numbers.
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: self
    }
  }
}
