import PredicateSyntax

/// Checks that the properties of a fetch of dictionaries fit together.
struct DictionaryRequestCheck {
  private let request: FetchRequest
  private let properties: [FetchedProperty]
  private let isGrouped: Bool

  init(_ request: FetchRequest, properties: [FetchedProperty], isGrouped: Bool) {
    self.request = request
    self.properties = properties
    self.isGrouped = isGrouped
  }

  /// - Throws: ``FetchError`` in Apple's words if Core Data has them.
  func check() throws(FetchError) {
    let groups = request.propertiesToGroupBy
    for path in properties.map(\.keyPath) + groups { try checkPath(path) }
    for property in properties { try checkFunction(of: property) }
    var names: Set<String> = []
    for property in properties where !names.insert(property.name).inserted {
      throw FetchError.repeatedProperty(property.name)
    }
    let plain = properties.filter { $0.function == nil }.map(\.keyPath)
    if isGrouped, let property = plain.first(where: { !groups.contains($0) }) {
      throw FetchError.ungroupedProperty(property, groups: groups)
    }
    guard request.havingPredicate == nil || !groups.isEmpty else {
      throw FetchError.havingWithoutGroup
    }
    for path in request.havingPredicate?.tree.keyPaths ?? [] where !names.contains(path) {
      throw FetchError.notInResult(path, clause: "having", names: names.sorted())
    }
    let sortable = names.union(isGrouped ? groups : plain)
    for key in request.sortDescriptors.map(\.key) where !sortable.contains(key) {
      throw FetchError.notInResult(key, clause: "sort", names: sortable.sorted())
    }
  }

  private func checkPath(_ path: String) throws(FetchError) {
    do {
      try RowOrder.check(path, of: request.entity, isSort: true)
    } catch {
      throw error == .toManyKey ? FetchError.toManyProperty(path) : error
    }
  }

  private func checkFunction(of property: FetchedProperty) throws(FetchError) {
    guard let function = property.function, function == .sum || function == .average else { return }
    guard request.entity.attribute(atKeyPath: property.keyPath)?.type.isNumeric == true else {
      throw FetchError.notNumeric(property.keyPath, function: function.rawValue)
    }
  }
}
