/// How a value that nobody sets is computed from its object.
public struct AttributeExpression: Sendable {
  /// The expression as its author wrote it.
  public let text: String
  /// Returns the value for an object; one that is not of the attribute's type
  /// counts as null.
  public let evaluate: @Sendable (ObjectValues) -> PropertyValue

  /// Creates an expression.
  public init(_ text: String, evaluate: @escaping @Sendable (ObjectValues) -> PropertyValue) {
    self.text = text
    self.evaluate = evaluate
  }
}

/// An object's values at one moment, read by key.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public struct ObjectValues {
  /// The object.
  public let objectID: ObjectID
  package let snapshot: ObjectSnapshot
  package let graph: (any ObjectGraph)?

  package init(objectID: ObjectID, snapshot: ObjectSnapshot, graph: (any ObjectGraph)?) {
    self.objectID = objectID
    self.snapshot = snapshot
    self.graph = graph
  }

  /// The value of an attribute or a relationship; nil if the entity has no such key.
  public func value(forKey key: String) -> PropertyValue? {
    guard let index = objectID.entity.propertyIndex(named: key) else { return nil }
    return value(at: index)
  }

  /// The value of the property with this place in the entity; a transient one
  /// is computed.
  package func value(at index: Int) -> PropertyValue {
    let entity = objectID.entity
    guard entity.hasExpressions, index < entity.attributes.count,
      let expression = entity.attributes[index].transientExpression
    else { return snapshot[index] }
    return entity.attributes[index].type.value(from: expression.evaluate(self)) ?? .null
  }

  /// The values of the object on the other side of a to-one relationship.
  package func values(of id: ObjectID) -> ObjectValues? {
    guard let snapshot = graph?.currentSnapshot(of: id) else { return nil }
    return ObjectValues(objectID: id, snapshot: snapshot, graph: graph)
  }
}

extension ObjectGraph {
  /// Nil, for the objects may be of none.
  package var owner: AnyObject? { nil }

  /// The system's, for nothing else is known.
  package var environment: EvaluationEnvironment { EvaluationEnvironment() }

  /// True, for nothing is known of it.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool { true }
}

/// Where the objects on the other side of relationships are found.
package protocol ObjectGraph: AnyObject {
  /// The context whose objects these are; this target does not know its type.
  var owner: AnyObject? { get }

  /// What expressions that look at these objects take from their surroundings.
  var environment: EvaluationEnvironment { get }

  /// Returns an object's values as they are now, or nil if it is gone.
  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot?

  /// Whether some objects of a root entity may be others here than in the
  /// store.
  func knowsUnsavedObjects(of root: EntityDescription) -> Bool
}
