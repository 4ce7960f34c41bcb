/// Values of several properties, by their names.
extension ManagedObject {
  /// The properties that have unsaved changes, with their values now.
  ///
  /// A new object has changed every property that differs from its entity's default. A property
  /// that was assigned the value it had is left out. Empty without unsaved changes.
  ///
  /// - Complexity: O(*p*) in the entity's properties.
  public final func changedValues() -> [String: PropertyValue] {
    guard isPending else { return [:] }
    return values(wherever: committed ?? entity.defaults)
  }

  /// The saved values of properties, by their names.
  ///
  /// - Parameter keys: Names of attributes and relationships; nil for all.
  /// - Returns: The values by name. A key that the entity does not have is left out. An object that
  ///   was never saved has no values.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: PropertyValue] {
    if isFault { managedObjectContext?.fire(self) }
    guard let saved = savedSnapshot else { return [:] }
    var values: [String: PropertyValue] = [:]
    for key in keys ?? entity.propertyNames {
      if let index = entity.propertyIndex(named: key) { values[key] = saved[index].known }
    }
    return values
  }

  /// The properties whose values differ from those of a snapshot.
  private func values(wherever other: ObjectSnapshot) -> [String: PropertyValue] {
    var changed: [String: PropertyValue] = [:]
    for (index, name) in entity.propertyNames.enumerated()
    where snapshot.stored[index] != other.stored[index] {
      changed[name] = value(at: index).known
    }
    return changed
  }
}

extension PropertyValue {
  /// The value as a client sees it, with relationships as lists.
  fileprivate var known: PropertyValue { list.map(PropertyValue.list) ?? self }
}
