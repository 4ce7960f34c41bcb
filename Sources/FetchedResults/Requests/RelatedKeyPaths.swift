import PredicateSyntax

extension FetchRequest {
  /// Returns the key paths in the request's predicate, sort and section that lead to objects of an
  /// entity.
  ///
  /// A change of such an object moves nothing and is not reported, because Core Data tracks only
  /// the fetched objects.
  package func keyPaths(
    leadingTo entity: EntityDescription, section: String? = nil
  ) -> [String] {
    var seen: Set<String> = []
    return (sortDescriptors.map(\.key) + [section].compactMap(\.self) + predicateKeyPaths)
      .filter { seen.insert($0).inserted && self.entity.path($0, leadsTo: entity) }
  }

  /// The key paths in the predicate.
  package var predicateKeyPaths: [String] { predicate?.tree.keyPaths ?? [] }
}

extension EntityDescription {
  /// Whether a relationship of a key path leads to objects of an entity.
  fileprivate func path(_ keyPath: String, leadsTo entity: EntityDescription) -> Bool {
    var owner = self
    for key in keyPath.split(separator: ".").map(String.init) {
      guard let ordinal = owner.relationshipOrdinal(named: key),
        let destination = try? owner.link(at: ordinal).destination
      else { return false }
      if entity.isKindOf(entity: destination) || destination.isKindOf(entity: entity) {
        return true
      }
      owner = destination
    }
    return false
  }
}
