import PredicateSyntax

/// The related objects that a key path of a request reads, and which of their properties it reads.
package struct CrossedObjects: Sendable {
  /// The relationships that lead from a fetched object to these objects.
  package let steps: [Step]
  /// The entity of the objects.
  package let entity: EntityDescription
  /// The key path that leads to them.
  package let keyPath: String
  /// The indices of the attributes that are read.
  fileprivate var attributes: Set<Int> = []
  /// The ordinals of the relationships that are read.
  fileprivate var relationships: Set<Int> = []
  /// Whether any value may be read.
  fileprivate var readsEverything = false

  /// A relationship of an entity.
  package struct Step: Hashable, Sendable {
    package let entity: EntityDescription
    package let ordinal: Int
  }

  /// Whether a change of an object changes a value that is read from it.
  ///
  /// This is true for an inserted or deleted object, and for one whose earlier values are unknown.
  ///
  /// - Parameter owner: The entity of the object: the entity of these objects, or a sub-entity.
  package func areChanged(
    _ before: ObjectSnapshot?, _ after: ObjectSnapshot?, of owner: EntityDescription
  ) -> Bool {
    guard let before, let after, !readsEverything else { return true }
    return attributes.contains { before[$0] != after[$0] }
      || relationships.contains { ordinal in
        // The relationships come after all attributes, also those that a sub-entity adds.
        let place = owner.attributes.count + ordinal
        return before[place] != after[place]
      }
  }
}

extension FetchRequest {
  /// Returns the related objects that the request's sort, section and predicate read, one entry for
  /// each path of relationships.
  package func crossedObjects(section: String?) -> [CrossedObjects] {
    var finder = CrossingFinder(entity)
    for path in sortDescriptors.map(\.key) + sectionKeyPaths(section) {
      _ = finder.follow(path.split(separator: ".").map(String.init), from: [[]])
    }
    guard let predicate else { return finder.found }
    finder.variables = predicate.variables
    finder.walk(predicate.tree, [:])
    return finder.found
  }

  /// Returns the section key path, and what its value is computed from.
  private func sectionKeyPaths(_ section: String?) -> [String] {
    section.map { [$0] + entity.keyPaths(computing: $0) } ?? []
  }
}

extension EntityDescription {
  /// Returns the key paths that the transient attribute at the end of a key path is computed from;
  /// empty for another attribute.
  ///
  /// If an attribute is computed from itself in other objects, only the nearest ones are included.
  fileprivate func keyPaths(computing keyPath: String) -> [String] {
    var found: [String] = []
    var open: [(path: String, outer: [[String]])] = [(keyPath, [])]
    // Attributes that are computed from others could lead to any number of paths.
    while let (path, outer) = open.popLast(), found.count < 100 {
      var keys = path.split(separator: ".").map(String.init)
      guard let key = keys.popLast(), let owner = entity(at: keys),
        let index = owner.attributeIndex(named: key),
        let expression = owner.attributes[index].transientExpression,
        !outer.contains([owner.name, key])
      else { continue }
      for read in expression.keyPaths {
        let path = (keys + [read]).joined(separator: ".")
        found.append(path)
        open.append((path, outer + [[owner.name, key]]))
      }
    }
    return found
  }

  /// Returns the entity to which relationships lead.
  private func entity(at keys: [String]) -> EntityDescription? {
    var entity: EntityDescription? = self
    for key in keys {
      entity = entity.flatMap { owner in
        owner.relationshipOrdinal(named: key).flatMap { try? owner.link(at: $0).destination }
      }
    }
    return entity
  }
}

/// Follows key paths and notes what they read.
///
/// A path is a list of relationship names, starting at the fetched object.
private struct CrossingFinder {
  private let root: EntityDescription
  var variables: [String: PropertyValue] = [:]
  private var places: [[String]: Int] = [:]
  private var crossed: [CrossedObjects] = []

  /// The variables of the enclosing SUBQUERYs, with the paths of their objects.
  typealias Bound = [String: [[String]]]

  init(_ root: EntityDescription) { self.root = root }

  /// The related objects with at least one property that is read.
  var found: [CrossedObjects] {
    crossed.filter {
      $0.readsEverything || !$0.attributes.isEmpty || !$0.relationships.isEmpty
    }
  }

  // MARK: Key paths

  /// Follows keys from the objects at some paths, and returns the paths of the objects at the end;
  /// empty if the end is a value.
  mutating func follow(_ keys: [String], from paths: [[String]]) -> [[String]] {
    var paths = paths
    for key in keys {
      if key.hasPrefix("@") { continue }
      paths = paths.flatMap { read(key, at: $0) }
    }
    return paths
  }

  /// Notes that a key of the objects at a path is read.
  private mutating func read(_ key: String, at path: [String]) -> [[String]] {
    guard let (steps, entity) = resolve(path) else { return [] }
    if key == "self" { return [path] }
    let index = path.isEmpty ? nil : place(of: path, steps, entity)
    if let attribute = entity.attributeIndex(named: key) {
      guard let index else { return [] }
      // A computed value is not in a snapshot.
      if entity.attributes[attribute].transientExpression != nil {
        crossed[index].readsEverything = true
      }
      crossed[index].attributes.insert(attribute)
      return []
    }
    guard let ordinal = entity.relationshipOrdinal(named: key) else { return [] }
    if let index { crossed[index].relationships.insert(ordinal) }
    return [path + [key]]
  }

  private mutating func readEverything(at paths: [[String]]) {
    for path in paths where !path.isEmpty {
      guard let (steps, entity) = resolve(path) else { continue }
      let index = place(of: path, steps, entity)
      crossed[index].readsEverything = true
    }
  }

  private mutating func place(
    of path: [String], _ steps: [CrossedObjects.Step], _ entity: EntityDescription
  ) -> Int {
    if let place = places[path] { return place }
    places[path] = crossed.count
    crossed.append(
      CrossedObjects(steps: steps, entity: entity, keyPath: path.joined(separator: ".")))
    return crossed.count - 1
  }

  private func resolve(
    _ path: [String]
  ) -> (steps: [CrossedObjects.Step], entity: EntityDescription)? {
    var owner = root
    var steps: [CrossedObjects.Step] = []
    for key in path {
      guard let ordinal = owner.relationshipOrdinal(named: key),
        let next = try? owner.link(at: ordinal).destination
      else { return nil }
      steps.append(CrossedObjects.Step(entity: owner, ordinal: ordinal))
      owner = next
    }
    return (steps, owner)
  }

  // MARK: Predicates

  mutating func walk(_ tree: PredicateTree, _ bound: Bound) {
    switch tree {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { walk(part, bound) }
    case .not(let part): walk(part, bound)
    case .comparison(let comparison):
      _ = objects(comparison.left, bound)
      _ = objects(comparison.right, bound)
    }
  }

  /// Notes what an expression reads, and returns the paths of the objects that it gives.
  private mutating func objects(_ operand: OperandTree, _ bound: Bound) -> [[String]] {
    switch operand.kind {
    case .null, .boolean, .integer, .real, .string, .argument, .anyKey: return []
    case .evaluatedObject: return [[]]
    case .key, .collectionOperator, .argumentKeyPath, .variableKeyPath, .variable:
      return pathObjects(operand, bound)
    case .subquery(let collection, let variable, let predicate):
      let paths = objects(collection, bound)
      walk(predicate, bound.merging([variable: paths]) { $1 })
      return paths
    case .ternary(let condition, let positive, let negative):
      walk(condition, bound)
      return objects(positive, bound) + objects(negative, bound)
    case .call(let operand, let selector, let arguments):
      let paths = objects(operand, bound)
      for argument in arguments { _ = objects(argument, bound) }
      guard case .string(let key) = selector.kind, !key.hasSuffix(":") else {
        readEverything(at: paths)
        return []
      }
      return follow([key], from: paths)
    case .aggregate, .negation, .arithmetic, .setOperation, .index, .function, .cast, .assignment:
      var paths: [[String]] = []
      for part in operand.parts { paths += objects(part, bound) }
      return paths
    }
  }

  private mutating func pathObjects(_ operand: OperandTree, _ bound: Bound) -> [[String]] {
    switch operand.kind {
    case .key(let name, let base):
      return follow([name], from: base.map { objects($0, bound) } ?? [[]])
    case .collectionOperator(_, let base, let right):
      return follow(right, from: base.map { objects($0, bound) } ?? [[]])
    case .variable(let name): return bound[name] ?? []
    case .variableKeyPath(let name, let base):
      let paths = objects(base, bound)
      guard bound[name] == nil, let key = variables[name]?.description else {
        readEverything(at: paths)
        return []
      }
      return follow([key], from: paths)
    // It was replaced by keys when the predicate was created.
    case .argumentKeyPath(_, let base): return base.map { objects($0, bound) } ?? []
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .argument, .negation, .arithmetic, .setOperation, .index, .function, .call, .subquery,
      .cast, .ternary, .assignment:
      return []
    }
  }
}

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
    return (sortDescriptors.map(\.key) + sectionKeyPaths(section) + predicateKeyPaths)
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
