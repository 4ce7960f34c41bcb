/// An object of an entity whose values are known.
struct SnapshotSubject: PredicateSubject {
  let values: ObjectValues

  var identity: PropertyValue { .object(values.objectID) }

  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue {
    guard let value = values.value(forKey: key) else {
      guard key == "objectID" else { throw InvalidPredicateError.notCodingCompliant(key) }
      return .value(identity)
    }
    return PredicateValue(value, in: values.graph)
  }
}

/// A related object, whose values are looked up when they are needed.
///
/// If the object no longer exists, every value is null.
private struct RelatedSubject: PredicateSubject {
  let objectID: ObjectID
  let graph: any ObjectGraph

  var identity: PropertyValue { .object(objectID) }

  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue {
    guard let snapshot = graph.currentSnapshot(of: objectID) else { return .null }
    let values = ObjectValues(objectID: objectID, snapshot: snapshot, graph: graph)
    return try SnapshotSubject(values: values).value(forKey: key)
  }
}

extension PredicateValue {
  /// Returns the value, with its objects as subjects that can be asked for keys.
  func askable(in graph: (any ObjectGraph)?) -> PredicateValue {
    switch self {
    case .value(let value): PredicateValue(value, in: graph)
    case .list(let elements): .list(elements.map { $0.askable(in: graph) })
    case .set(let elements): .set(elements.map { $0.askable(in: graph) })
    case .dictionary, .subject: self
    }
  }

  /// Converts objects to subjects that can be asked for keys.
  init(_ value: PropertyValue, in graph: (any ObjectGraph)?) {
    switch value {
    case .object(let id):
      self = graph.map { .subject(RelatedSubject(objectID: id, graph: $0)) } ?? .value(value)
    case .list(let elements): self = .list(elements.map { PredicateValue($0, in: graph) })
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data:
      self = .value(value)
    }
  }
}
