extension EntityDescription {
  /// The places in a ``ObjectSnapshot`` of the properties that a store keeps, in order of their names:
  /// the order in which Core Data's history counts them.
  package var historyPlaces: [Int] {
    let stored =
      attributes.indices.filter { !attributes[$0].isTransient }
      + relationships.indices.filter { !relationships[$0].isTransient }.map {
        attributes.count + $0
      }
    let names = propertyNames
    return stored.sorted { names[$0] < names[$1] }
  }

  /// The names of properties by their places in a ``ObjectSnapshot``, in order of the names.
  package func historyNames(of places: [Int]) -> [String] {
    let places = Set(places)
    let names = propertyNames
    return historyPlaces.filter(places.contains).map { names[$0] }
  }
}
