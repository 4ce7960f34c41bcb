import FetchedResults

extension ScriptValue {
  /// Returns the value with new numbers of objects.
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
    // Values that are not read yet will be read by the new numbers.
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: self
    }
  }
}
