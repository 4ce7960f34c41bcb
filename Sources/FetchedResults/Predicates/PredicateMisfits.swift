package import PredicateSyntax

extension FetchPredicate {
  /// Returns the comparisons whose sides have kinds that cannot be compared, in the order of the
  /// text.
  ///
  /// A side that is nil, or whose kind is unknown, counts as fitting.
  package func misfits(for entity: EntityDescription) -> [PredicateMisfit] {
    var search = MisfitSearch(entity: entity, arguments: arguments, variables: variables)
    search.look(at: tree)
    return search.found
  }
}

/// Searches a predicate, using what is known about its values.
private struct MisfitSearch {
  let entity: EntityDescription
  let arguments: [PropertyValue]
  let variables: [String: PropertyValue]
  /// The variables of the enclosing SUBQUERYs.
  private var bound: [String: EntityDescription?] = [:]
  private(set) var found: [PredicateMisfit] = []

  init(entity: EntityDescription, arguments: [PropertyValue], variables: [String: PropertyValue]) {
    self.entity = entity
    self.arguments = arguments
    self.variables = variables
  }

  mutating func look(at tree: PredicateTree) {
    switch tree {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { look(at: part) }
    case .not(let part): look(at: part)
    case .comparison(let comparison):
      if let reason = reason(comparison) {
        found.append(
          PredicateMisfit(
            comparison: comparison, reason: reason,
            canBothBeNil: canBeNil(comparison.left) && canBeNil(comparison.right)))
      }
      look(inside: comparison.left)
      look(inside: comparison.right)
    }
  }

  /// Literals and variables with a value have a known kind.
  private func canBeNil(_ operand: OperandTree) -> Bool {
    if case .variable(let name) = operand.kind {
      return bound[name] == nil && variables[name] == nil
    }
    return !operand.isLiteral
  }

  private mutating func look(inside operand: OperandTree) {
    for part in operand.parts { look(inside: part) }
    switch operand.kind {
    case .subquery(let collection, let variable, let predicate):
      let outer = bound
      bound[variable] = .some(entity(of: collection))
      look(at: predicate)
      bound = outer
    case .ternary(let condition, _, _): look(at: condition)
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index, .function, .call, .cast, .assignment:
      break
    }
  }

  // MARK: Comparisons

  private func reason(_ comparison: PredicateTree.Comparison) -> PredicateMisfit.Reason? {
    let (left, right) = (comparison.left, comparison.right)
    let rightKind = kind(of: right)
    if comparison.modifier != nil, case let kind = kind(of: left), kind.isScalar {
      return .modifierNeedsCollection(left, kind)
    }
    let leftKinds =
      comparison.modifier == nil
      ? [kind(of: left)]
      : elements(of: kind(of: left), areFlat: comparison.comparator != .contains)
    let fits = leftKinds.map { leftKind in
      reason(comparison.comparator, left, leftKind, right, rightKind)
    }
    // For ANY, one element that fits is enough.
    return fits.contains { $0 == nil } ? nil : fits.first ?? nil
  }

  private func reason(
    _ comparator: PredicateTree.Comparator, _ left: OperandTree, _ leftKind: PredicateKind,
    _ right: OperandTree, _ rightKind: PredicateKind
  ) -> PredicateMisfit.Reason? {
    switch comparator.family {
    case .relation:
      return leftKind.fits(rightKind) ? nil : .kinds(left, leftKind, right, rightKind)
    case .between: return bounds(left, leftKind, right, rightKind)
    case .membership: return membership(left, leftKind, right, rightKind)
    case .containment: return membership(right, rightKind, left, leftKind)
    case .text:
      if !leftKind.fits(.string) { return .needsString(left, leftKind) }
      return rightKind.fits(.string) ? nil : .needsString(right, rightKind)
    }
  }

  private func bounds(
    _ value: OperandTree, _ kind: PredicateKind, _ list: OperandTree, _ listKind: PredicateKind
  ) -> PredicateMisfit.Reason? {
    guard case .list(let bounds) = listKind,
      let wrong = bounds.firstIndex(where: { !kind.fits($0) })
    else { return nil }
    if case .aggregate(let elements) = list.kind, wrong < elements.count {
      return .kinds(value, kind, elements[wrong], bounds[wrong])
    }
    return .noMember(value, kind, of: list)
  }

  private func membership(
    _ value: OperandTree, _ kind: PredicateKind, _ collection: OperandTree,
    _ collectionKind: PredicateKind
  ) -> PredicateMisfit.Reason? {
    switch collectionKind {
    case .unknown: nil
    case .list(let kinds):
      kinds.isEmpty || kinds.contains(where: kind.fits)
        ? nil : .noMember(value, kind, of: collection)
    case .string: kind.fits(.string) ? nil : .needsString(value, kind)
    case .number, .boolean, .date, .uuid, .uri, .data, .object:
      .needsCollection(collection, collectionKind)
    }
  }

  /// - Parameter areFlat: Whether collections in the collection count as their elements.
  private func elements(of kind: PredicateKind, areFlat: Bool) -> [PredicateKind] {
    guard case .list(let kinds) = kind, !kinds.isEmpty else { return [.unknown] }
    return areFlat
      ? kinds.flatMap { inner in
        if case .list(let kinds) = inner { kinds } else { [inner] }
      } : kinds
  }

  // MARK: Kinds

  private func kind(of operand: OperandTree) -> PredicateKind {
    switch operand.kind {
    case .boolean: .boolean
    case .integer, .real, .negation, .arithmetic: .number
    case .string: .string
    case .aggregate(let elements): .list(elements.map(kind))
    case .argument(let index):
      arguments.indices.contains(index) ? PredicateKind(arguments[index]) : .unknown
    case .variable(let name):
      bound[name].map { $0 == nil ? .unknown : .object }
        ?? variables[name].map { PredicateKind($0) } ?? .unknown
    case .evaluatedObject: .object
    case .key(let name, let base): kind(ofKey: name, of: base)
    case .collectionOperator(let name, _, _):
      ["count", "sum", "avg"].contains(name) ? .number : .unknown
    case .index(_, .size): .number
    case .index(let base, .first), .index(let base, .last): elementKind(of: base)
    case .subquery: .list([.object])
    case .assignment(_, let value): kind(of: value)
    case .function(let name, _): Self.kind(ofFunction: name)
    case .cast(_, let type): Self.kind(ofCastTo: type)
    case .ternary(_, let positive, let negative):
      kind(of: positive) == kind(of: negative) ? kind(of: positive) : .unknown
    case .null, .anyKey, .argumentKeyPath, .variableKeyPath, .setOperation, .index, .call:
      .unknown
    }
  }

  private func elementKind(of base: OperandTree) -> PredicateKind {
    guard case .list(let kinds) = kind(of: base), let first = kinds.first,
      kinds.allSatisfy({ $0 == first })
    else { return .unknown }
    return first
  }

  private func kind(ofKey name: String, of base: OperandTree?) -> PredicateKind {
    guard let owner = entity(of: base) else { return .unknown }
    let isMany = base.map(isToMany) ?? false
    var kind = PredicateKind.unknown
    if let index = owner.attributeIndex(named: name) {
      kind = PredicateKind(owner.attributes[index].type)
    } else if let ordinal = owner.relationshipOrdinal(named: name) {
      kind = owner.relationships[ordinal].isToMany ? .list([.object]) : .object
    }
    return isMany && kind != .unknown ? .list([kind]) : kind
  }

  private func isToMany(_ operand: OperandTree) -> Bool {
    if case .list = kind(of: operand) { true } else { false }
  }

  /// Returns the entity of the object or objects that an expression gives.
  private func entity(of operand: OperandTree?) -> EntityDescription? {
    guard let operand else { return entity }
    switch operand.kind {
    case .evaluatedObject: return entity
    case .key(let name, let base):
      return entity(of: base)?.destination(ofRelationship: name)
    case .variable(let name):
      if let entity = bound[name] { return entity }
      return variables[name]?.entityOfObject
    case .argument(let index):
      return arguments.indices.contains(index) ? arguments[index].entityOfObject : nil
    case .index(let base, .first), .index(let base, .last), .index(let base, .at):
      return entity(of: base)
    case .subquery(let collection, _, _): return entity(of: collection)
    case .null, .boolean, .integer, .real, .string, .aggregate, .anyKey, .collectionOperator,
      .argumentKeyPath, .variableKeyPath, .negation, .arithmetic, .setOperation, .index, .function,
      .call, .cast, .ternary, .assignment:
      return nil
    }
  }

  private static func kind(ofFunction name: String) -> PredicateKind {
    switch name {
    case "now": .date
    case "uppercase:", "lowercase:": .string
    case "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:",
      "ln:", "raise:toPower:", "exp:", "floor:", "ceiling:", "abs:", "trunc:", "random",
      "random:", "count:", "sum:", "average:", "median:", "stddev:":
      .number
    default: .unknown
    }
  }

  private static func kind(ofCastTo type: OperandTree) -> PredicateKind {
    guard case .string(let name) = type.kind else { return .unknown }
    return switch name {
    case "NSDate": .date
    case "NSString": .string
    case "NSNumber": .number
    default: .unknown
    }
  }
}

extension PropertyValue {
  fileprivate var entityOfObject: EntityDescription? {
    if case .object(let id) = self { id.entity } else { nil }
  }
}

/// A comparison between kinds of values that cannot be compared, which therefore says nothing about
/// an object.
package struct PredicateMisfit {
  package let comparison: PredicateTree.Comparison
  package let reason: Reason
  /// Whether both sides may be nil.
  let canBothBeNil: Bool

  /// Why the sides do not fit.
  package enum Reason {
    /// The kinds of both sides are known and cannot be compared.
    case kinds(OperandTree, PredicateKind, OperandTree, PredicateKind)
    /// No element of the collection can be equal to the value.
    case noMember(OperandTree, PredicateKind, of: OperandTree)
    /// The operator needs a string.
    case needsString(OperandTree, PredicateKind)
    /// The operator needs a string or a collection.
    case needsCollection(OperandTree, PredicateKind)
    /// ANY and ALL need a collection on the left.
    case modifierNeedsCollection(OperandTree, PredicateKind)
  }

  /// For which objects the comparison is true anyway.
  package var truth: Truth {
    // ANY and ALL take nil for an empty collection, and raise an error for every other value.
    if case .modifierNeedsCollection = reason {
      return comparison.modifier == .all ? .ofNil : .never
    }
    let ofOne = truthOfOne
    switch comparison.modifier {
    case nil: return ofOne
    case .all?: return .ofEmptyCollections
    case .any?: return ofOne == .always ? .exceptForEmptyCollections : ofOne
    }
  }

  /// For which objects the comparison is true of one element.
  private var truthOfOne: Truth {
    switch comparison.comparator.family {
    case .relation(.notEqual): return canBothBeNil ? .exceptForNil : .always
    case .relation(.equal), .relation(.lessOrEqual), .relation(.greaterOrEqual), .membership,
      .containment:
      return canBothBeNil ? .forNil : .never
    case .relation(.less), .relation(.greater), .between, .text: return .never
    }
  }

  /// Whether the comparison raises an error for values that are not nil, as in Core Data.
  package var isError: Bool {
    switch reason {
    case .needsCollection, .modifierNeedsCollection, .needsString: true
    case .kinds, .noMember:
      switch comparison.comparator.family {
      case .relation(.less), .relation(.lessOrEqual), .relation(.greater),
        .relation(.greaterOrEqual), .between:
        true
      case .relation(.equal), .relation(.notEqual), .membership, .containment, .text: false
      }
    }
  }

  /// For which objects a comparison of unfit kinds is true.
  package enum Truth {
    case never
    case always
    /// Where both sides are nil.
    case forNil
    case exceptForNil
    /// Where the left side is nil.
    case ofNil
    case ofEmptyCollections
    case exceptForEmptyCollections
  }
}

/// What is known about an expression's values before it is evaluated.
package indirect enum PredicateKind: Hashable, Sendable {
  case unknown
  case number
  case boolean
  case string
  case date
  case uuid
  case uri
  case data
  case object
  case list([PredicateKind])

  /// Whether values of the two kinds can be equal.
  func fits(_ other: PredicateKind) -> Bool {
    switch (self, other) {
    case (.unknown, _), (_, .unknown), (.list, _), (_, .list): true
    case (.number, .boolean), (.boolean, .number): true
    default: self == other
    }
  }

  /// Whether this is always exactly one value.
  var isScalar: Bool {
    switch self {
    case .unknown, .list: false
    case .number, .boolean, .string, .date, .uuid, .uri, .data, .object: true
    }
  }

  init(_ type: AttributeType) {
    self =
      switch type {
      case .string: .string
      case .integer16, .integer32, .integer64, .double, .float, .decimal: .number
      case .boolean: .boolean
      case .date: .date
      case .uuid: .uuid
      case .uri: .uri
      case .binaryData: .data
      }
  }

  /// Nil fits every kind.
  init(_ value: PropertyValue) {
    self =
      switch value {
      case .null: .unknown
      case .bool: .boolean
      case .int, .double, .decimal: .number
      case .string: .string
      case .date: .date
      case .uuid: .uuid
      case .uri: .uri
      case .data: .data
      case .object: .object
      case .list(let values): .list(values.map { PredicateKind($0) })
      }
  }
}
