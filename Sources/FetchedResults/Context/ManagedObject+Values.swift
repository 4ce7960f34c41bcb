/// Values of several properties, by their names.
extension ManagedObject {
  /// The properties that have unsaved changes, with their values now.
  ///
  /// A new object has changed every property that differs from its entity's default. A property
  /// that was assigned the value it had is left out. Empty without unsaved changes.
  ///
  /// - Complexity: O(*p*) in the entity's properties.
  public final func changedValues() -> [String: Value] {
    guard isPending else { return [:] }
    return values(wherever: committed ?? entity.defaults)
  }

  /// The saved values of properties, by their names.
  ///
  /// - Parameter keys: Names of attributes and relationships; nil for all.
  /// - Returns: Nothing for a key that the entity does not have, nor for an object that was
  ///   never saved.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    if isFault { managedObjectContext?.fire(self) }
    guard let saved = savedSnapshot else { return [:] }
    var values: [String: Value] = [:]
    for key in keys ?? entity.propertyNames {
      if let index = entity.propertyIndex(named: key) { values[key] = saved[index].known }
    }
    return values
  }

  /// The properties whose values differ from those of a snapshot.
  private func values(wherever other: Snapshot) -> [String: Value] {
    var changed: [String: Value] = [:]
    for (index, name) in entity.propertyNames.enumerated() where snapshot[index] != other[index] {
      changed[name] = value(at: index).known
    }
    return changed
  }
}

extension EntityDescription {
  /// The names of all properties, in the order of a snapshot.
  fileprivate var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }
}

extension Value {
  /// The value as a client sees it.
  fileprivate var known: Value { list.map(Value.list) ?? self }
}
