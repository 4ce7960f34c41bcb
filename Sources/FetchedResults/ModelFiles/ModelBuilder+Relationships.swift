extension ModelBuilder {
  /// Creates a relationship, or notes that its destination is missing.
  mutating func relationship(
    _ element: ModelElement, of entity: String
  ) -> RelationshipDescription? {
    guard let name = element.given("name") else {
      notes.add("properties without a name are left out", "\(entity), line \(element.line)")
      return nil
    }
    let path = "\(entity).\(name)"
    guard let destination = element.given("destinationEntity") else {
      notes.add("relationships that lead to no entity are left out", path)
      return nil
    }
    noteVersionModifier(of: element, path)
    let rule: RelationshipDescription.DeleteRule =
      switch element["deletionRule"] {
      case "Cascade": .cascade
      case "Deny": .deny
      case "No Action": .noAction
      default: .nullify
      }
    return RelationshipDescription(
      name: name, destination: destination, inverse: element.given("inverseName"),
      isToMany: element.says("toMany"), isOrdered: element.says("ordered"),
      isOptional: element.says("optional"), minCount: count(element, "minCount"),
      maxCount: count(element, "maxCount"), deleteRule: rule,
      isTransient: element.says("transient"),
      renamingIdentifier: element.given("elementID"))
  }

  /// Returns a number of objects; any other text means no limit.
  private func count(_ element: ModelElement, _ attribute: String) -> Int {
    max(0, element[attribute].flatMap { Int32($0) }.map(Int.init) ?? 0)
  }

  /// Keeps the properties that fit together: unique names, and relationships with an existing
  /// destination and a valid inverse.
  mutating func connect(_ drafts: inout [Draft]) {
    leaveOutDuplicates(&drafts)
    let places = Dictionary(
      drafts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for index in drafts.indices {
      let name = drafts[index].name
      drafts[index].relationships.removeAll { relationship in
        guard places[relationship.destination] == nil else { return false }
        notes.add(
          "relationships that lead to no entity are left out",
          "\(name).\(relationship.name)")
        return true
      }
    }
    let graph = RelationshipGraph(drafts: drafts, places: places)
    for (index, draft) in drafts.enumerated() {
      for (ordinal, relationship) in draft.relationships.enumerated() {
        var changed = relationship
        switch graph.pairing(index, ordinal) {
        case .alone:
          notes.add("relationships have no inverse", "\(draft.name).\(relationship.name)")
        case .misses:
          changed.inverse = nil
          notes.add(
            "inverses that do not lead back are ignored", "\(draft.name).\(relationship.name)")
        case .paired(let isTransient): changed.isTransient = isTransient
        }
        drafts[index].relationships[ordinal] = changed
      }
    }
  }

  /// Removes properties with a name that the entity or one of its ancestors already has.
  private mutating func leaveOutDuplicates(_ drafts: inout [Draft]) {
    var names: [String: Set<String>] = [:]
    for index in drafts.indices {
      let draft = drafts[index]
      var known = draft.parent.flatMap { names[$0] } ?? []
      func isNew(_ name: String) -> Bool {
        if known.insert(name).inserted { return true }
        notes.add("properties of a name that is taken are left out", "\(draft.name).\(name)")
        return false
      }
      drafts[index].attributes = draft.attributes.filter { isNew($0.name) }
      drafts[index].relationships = draft.relationships.filter { isNew($0.name) }
      names[draft.name] = known
    }
  }
}

/// The relationships of a model, used to find inverses.
private struct RelationshipGraph {
  let drafts: [ModelBuilder.Draft]
  private let places: [String: Int]
  /// Each relationship's index, by its entity and name.
  private let ordinals: [[String: Int]]
  /// The relationships that name an inverse, by the inverse's name.
  private let namers: [[String: [Int]]]

  /// How a relationship is connected with the inverse that it names.
  enum Pairing {
    /// It names no inverse.
    case alone
    /// The inverse is missing, or leads to another entity.
    case misses
    /// They are inverses. Either both are stored, or both are transient.
    case paired(isTransient: Bool)
  }

  init(drafts: [ModelBuilder.Draft], places: [String: Int]) {
    self.drafts = drafts
    self.places = places
    ordinals = drafts.map { draft in
      Dictionary(
        draft.relationships.enumerated().map { ($1.name, $0) },
        uniquingKeysWith: { first, _ in first })
    }
    namers = drafts.map { draft in
      Dictionary(
        grouping: draft.relationships.indices.filter {
          draft.relationships[$0].inverse != nil
        }
      ) { draft.relationships[$0].inverse ?? "" }
    }
  }

  func pairing(_ entity: Int, _ ordinal: Int) -> Pairing {
    let here = drafts[entity].relationships[ordinal]
    guard here.inverse != nil else { return partnerOfUnnamed(entity, ordinal) }
    guard let (other, back) = named(by: entity, ordinal) else { return .misses }
    let there = drafts[other].relationships[back]
    if there.inverse != nil {
      guard let again = named(by: other, back), again == (entity, ordinal) else { return .misses }
    } else if there.destination != drafts[entity].name || first(naming: (other, back)) != ordinal {
      return .misses
    }
    return Self.paired(here, there)
  }

  /// Returns the pairing of a relationship that names no inverse, but may be named as one.
  private func partnerOfUnnamed(_ entity: Int, _ ordinal: Int) -> Pairing {
    guard let other = places[drafts[entity].relationships[ordinal].destination],
      let back = first(naming: (entity, ordinal))
    else { return .alone }
    return Self.paired(
      drafts[entity].relationships[ordinal], drafts[other].relationships[back])
  }

  /// Returns the first relationship of the destination that leads back and names this one as its
  /// inverse.
  private func first(naming place: (entity: Int, ordinal: Int)) -> Int? {
    let here = drafts[place.entity].relationships[place.ordinal]
    guard let other = places[here.destination] else { return nil }
    return namers[other][here.name]?.first { index in
      drafts[other].relationships[index].destination == drafts[place.entity].name
        && (other, index) != place
    }
  }

  /// Returns the place of the inverse that a relationship names, if it leads back.
  private func named(by entity: Int, _ ordinal: Int) -> (Int, Int)? {
    let here = drafts[entity].relationships[ordinal]
    guard let inverse = here.inverse, let destination = places[here.destination] else { return nil }
    for place in sequence(first: destination, next: parent) {
      guard let back = ordinals[place][inverse] else { continue }
      let there = drafts[place].relationships[back]
      guard there.inverse == nil || there.inverse == here.name,
        sequence(first: entity, next: parent).contains(where: {
          drafts[$0].name == there.destination
        })
      else { return nil }
      return (place, back)
    }
    return nil
  }

  private func parent(of place: Int) -> Int? { drafts[place].parent.flatMap { places[$0] } }

  /// Decides whether both sides of a pair are stored.
  ///
  /// If the file marks only one side as transient, a column for a to-one relationship decides. A
  /// column holds both sides; without one, the other side cannot be stored. If each side would have
  /// its own columns, they are not a pair.
  private static func paired(
    _ here: RelationshipDescription, _ there: RelationshipDescription
  ) -> Pairing {
    if here.isTransient == there.isTransient { return .paired(isTransient: here.isTransient) }
    if here.isToMany == there.isToMany { return .misses }
    return .paired(isTransient: here.isToMany ? there.isTransient : here.isTransient)
  }
}
