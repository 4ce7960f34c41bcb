/// An expression that computes an attribute's value from the values of its object.
public struct AttributeExpression: Sendable {
  /// The text of the expression as it was written.
  public let text: String
  /// Returns the value for an object.
  ///
  /// A value that is not of the attribute's type counts as null.
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

  /// Returns the value of an attribute or a relationship; nil if the entity has no such key.
  public func value(forKey key: String) -> PropertyValue? {
    guard let index = objectID.entity.propertyIndex(named: key) else { return nil }
    return value(at: index)
  }

  /// Returns the value of the property at an index.
  ///
  /// A transient attribute's value is computed.
  package func value(at index: Int) -> PropertyValue {
    let entity = objectID.entity
    guard entity.hasExpressions, index < entity.attributes.count,
      let expression = entity.attributes[index].transientExpression
    else { return snapshot[index] }
    return entity.attributes[index].type.value(from: expression.evaluate(self)) ?? .null
  }

  /// Returns the values of the object that a to-one relationship leads to.
  package func values(of id: ObjectID) -> ObjectValues? {
    guard let snapshot = graph?.currentSnapshot(of: id) else { return nil }
    return ObjectValues(objectID: id, snapshot: snapshot, graph: graph)
  }
}

extension ObjectGraph {
  /// Nil, because the objects may not belong to a context.
  package var owner: AnyObject? { nil }

  /// The system's environment, because no other is known.
  package var environment: EvaluationEnvironment { EvaluationEnvironment() }

  /// True, because nothing is known about it.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool { true }
}

/// A place to look up related objects.
package protocol ObjectGraph: AnyObject {
  /// The context that the objects belong to, whose type this target does not know.
  var owner: AnyObject? { get }

  /// The environment for expressions that are evaluated on these objects.
  var environment: EvaluationEnvironment { get }

  /// Returns an object's current values; nil if it does not exist.
  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot?

  /// Whether objects of a root entity may have other values here than in the store.
  func knowsUnsavedObjects(of root: EntityDescription) -> Bool
}
