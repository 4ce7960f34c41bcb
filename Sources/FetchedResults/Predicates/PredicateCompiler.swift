import Foundation
import PredicateSyntax

/// Makes nodes of a tree: keys become places, strings tests, and what is known
/// beforehand is computed once.
struct PredicateCompiler {
  /// The entity of the objects; nil for objects that are asked by key.
  let entity: EntityDescription?
  let arguments: [PredicateValue]
  let variables: [String: PredicateValue]
  let environment: EvaluationEnvironment
  /// The variables of the SUBQUERYs around, each with the entity of what it
  /// stands for, where that is known.
  private var bound: [String: EntityDescription?] = [:]
  /// Whether a number with a point is compared with a decimal attribute, and
  /// so keeps every digit.
  private var readsDecimals = false

  init(
    entity: EntityDescription?, arguments: [PredicateValue],
    variables: [String: PredicateValue], environment: EvaluationEnvironment
  ) {
    self.entity = entity
    self.arguments = arguments
    self.variables = variables
    self.environment = environment
  }

  func compile(_ tree: PredicateTree) throws(PredicateError) -> PredicateNode {
    switch tree {
    case .constant(let value): .constant(value)
    case .and(let parts): .all(try compile(parts))
    case .or(let parts): .any(try compile(parts))
    case .not(let part): .not(try compile(part))
    case .comparison(let comparison): try compile(comparison)
    }
  }

  private func compile(_ parts: [PredicateTree]) throws(PredicateError) -> [PredicateNode] {
    var nodes: [PredicateNode] = []
    for part in parts { nodes.append(try compile(part)) }
    return nodes
  }

  private func compile(
    _ comparison: PredicateTree.Comparison
  ) throws(PredicateError) -> PredicateNode {
    var (left, right) = (try compile(comparison.left), try compile(comparison.right))
    if isDecimal(left) { right = try readingDecimals.compile(comparison.right) }
    if isDecimal(right) { left = try readingDecimals.compile(comparison.left) }
    if comparison.modifier == nil, hasStrayToMany(left, comparison.comparator, right) {
      throw PredicateError.toManyKey(range: comparison.range.range)
    }
    var rule = ComparisonRule(
      comparison.comparator, comparison.options, locale: environment.locale)
    if case .constant(.value(.string(let pattern))) = right {
      switch comparison.comparator {
      case .equal, .notEqual, .between, .in: break
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .beginsWith, .endsWith,
        .like, .matches:
        rule.preparedTest = TextTest(
          comparison.comparator, comparison.options, pattern: pattern,
          locale: environment.locale)
      }
    }
    let node = ComparisonNode(
      modifier: comparison.modifier, left: left, rule: rule, right: right,
      range: comparison.range.range)
    return shortcut(for: node, entity: entity)
  }

  private func isDecimal(_ node: OperandNode) -> Bool {
    guard let entity, case .attribute(let index) = node else { return false }
    return entity.attributes[index].type == .decimal
  }

  private var readingDecimals: Self {
    var compiler = self
    compiler.readsDecimals = true
    return compiler
  }

  // MARK: Operands

  func compile(_ tree: OperandTree) throws(PredicateError) -> OperandNode {
    let node = try compile(tree.kind, range: tree.range.range)
    guard node.isKnownBeforehand, let value = try? node.value(in: emptyScope) else { return node }
    return .constant(value)
  }

  private var emptyScope: PredicateScope {
    PredicateScope(snapshot: Snapshot([]), object: nil, subject: nil)
  }

  private func compile(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(PredicateError) -> OperandNode {
    switch kind {
    case .null: return .constant(.null)
    // TRUE is the number 1, as it is printed.
    case .boolean(let value): return .constant(.value(.int(value ? 1 : 0)))
    case .integer(let value): return .constant(.value(.int(value)))
    case .real(let value, let text):
      let decimal = readsDecimals ? Decimal(string: text) : nil
      return .constant(.value(decimal.map(Value.decimal) ?? .double(value)))
    case .string(let value): return .constant(.value(.string(value)))
    case .argument(let index):
      guard arguments.indices.contains(index) else {
        throw PredicateError.insufficientArguments
      }
      return .constant(arguments[index])
    case .aggregate(let elements): return .aggregate(try compile(elements))
    case .evaluatedObject: return .evaluatedObject
    case .anyKey: throw PredicateError.unsupportedFunction("ANYKEY")
    case .key, .collectionOperator, .argumentKeyPath, .variableKeyPath, .variable:
      return try compilePath(kind, range: range)
    case .negation(let part): return .negation(try compile(part))
    case .arithmetic(let left, let sign, let right):
      return .arithmetic(try compile(left), sign, try compile(right))
    case .setOperation(let left, let sign, let right):
      return .setOperation(try compile(left), sign, try compile(right))
    case .index(let base, let index): return try compile(base, at: index)
    case .function, .call, .subquery, .cast, .ternary, .assignment:
      return try compileCall(kind, range: range)
    }
  }

  private func compile(_ trees: [OperandTree]) throws(PredicateError) -> [OperandNode] {
    var nodes: [OperandNode] = []
    for tree in trees { nodes.append(try compile(tree)) }
    return nodes
  }

  private func compile(
    _ base: OperandTree, at index: OperandTree.Index
  ) throws(PredicateError) -> OperandNode {
    let base = try compile(base)
    return switch index {
    case .first: .first(base)
    case .last: .last(base)
    case .size: .size(base)
    case .at(let index): .element(base, at: try compile(index))
    }
  }

  private func compileCall(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(PredicateError) -> OperandNode {
    switch kind {
    case .function(let name, let arguments):
      return .function(name, try compile(arguments), environment)
    case .call(let operand, let selector, let arguments):
      return .call(
        try compile(operand), selector: try compile(selector), try compile(arguments),
        range: range)
    case .subquery(let collection, let variable, let predicate):
      let collection = try compile(collection)
      var inner = self
      inner.bound[variable] = .some(self.entity(of: collection))
      return .subquery(collection, variable: variable, try inner.compile(predicate))
    case .cast(let value, let type): return .cast(try compile(value), to: try compile(type))
    case .ternary(let condition, let positive, let negative):
      return .ternary(try compile(condition), try compile(positive), try compile(negative))
    // Nobody can read the variable later, so its value is all there is to it.
    case .assignment(_, let value): return try compile(value)
    default: return .constant(.null)
    }
  }

  // MARK: Key paths

  private func compilePath(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(PredicateError) -> OperandNode {
    switch kind {
    case .key(let name, let base): return try compileKey(name, of: base, range: range)
    case .collectionOperator(let name, let base, let right):
      guard let function = CollectionOperator(rawValue: name) else {
        throw PredicateError.notCodingCompliant("@" + name)
      }
      return .collectionOperator(function, of: try compileBase(base), right: right)
    case .variable(let name):
      if bound[name] != nil { return .variable(name, range: range) }
      guard let value = variables[name] else {
        throw PredicateError.unboundVariable(name, range: range)
      }
      return .constant(value)
    case .variableKeyPath(let name, let base):
      guard bound[name] == nil else {
        return .variableKey(name, of: try compile(base), range: range)
      }
      guard let value = variables[name] else {
        throw PredicateError.unboundVariable(name, range: range)
      }
      return try compileKey(value.description, of: base, range: range)
    // Replaced by keys when the predicate was made.
    case .argumentKeyPath: throw PredicateError.insufficientArguments
    default: return .constant(.null)
    }
  }

  private func compileBase(_ base: OperandTree?) throws(PredicateError) -> OperandNode {
    guard let base else { return .evaluatedObject }
    return try compile(base)
  }

  private func compileKey(
    _ name: String, of base: OperandTree?, range: Range<Int>
  ) throws(PredicateError) -> OperandNode {
    let base = try compileBase(base)
    guard let owner = entity(of: base) else { return .key(name, of: base) }
    guard let index = owner.propertyIndex(named: name) else {
      if name == "self" { return base }
      guard name == "objectID" else { throw unknownKey(name, of: base, owner, range) }
      return .key(name, of: base)
    }
    guard index < owner.attributes.count else {
      // Finds a relationship that leads nowhere before any object is asked.
      do throws(ModelError) {
        _ = try owner.link(at: index - owner.attributes.count)
      } catch {
        throw PredicateError(message: error.description, range: range)
      }
      return .key(name, of: base)
    }
    if owner.attributes[index].isTransient { throw unknownKey(name, of: base, owner, range) }
    if case .evaluatedObject = base { return .attribute(index) }
    return .key(name, of: base)
  }

  private func unknownKey(
    _ name: String, of base: OperandNode, _ owner: EntityDescription, _ range: Range<Int>
  ) -> PredicateError {
    var path = [name]
    var node = base
    while case .key(let key, let outer) = node {
      path.insert(key, at: 0)
      node = outer
    }
    if case .evaluatedObject = node, let entity {
      return .unknownKey(
        name, path: path.joined(separator: "."), of: owner, in: entity, range: range)
    }
    return .unknownKey(name, path: name, of: owner, in: owner, range: range)
  }

  /// The entity of the objects that an expression gives, one or many, where it
  /// is known.
  private func entity(of node: OperandNode) -> EntityDescription? {
    switch node {
    case .evaluatedObject: entity
    case .key(let name, let base): entity(of: base)?.destination(ofRelationship: name)
    case .variable(let name, _): bound[name] ?? nil
    case .first(let base), .last(let base), .element(let base, _), .subquery(let base, _, _):
      entity(of: base)
    default: nil
    }
  }

  /// Whether a side gives many values where the operator takes one.
  private func hasStrayToMany(
    _ left: OperandNode, _ comparator: PredicateTree.Comparator, _ right: OperandNode
  ) -> Bool {
    switch comparator {
    case .in: isToMany(left)
    case .contains: isToMany(right)
    case .equal, .notEqual:
      isToMany(left) && right.isScalar || left.isScalar && isToMany(right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith, .endsWith,
      .like, .matches:
      isToMany(left) || isToMany(right)
    }
  }

  /// Whether an expression is a path with a to-many step, so that it gives
  /// many values.
  private func isToMany(_ node: OperandNode) -> Bool {
    guard case .key(let name, let base) = node else { return false }
    guard let owner = entity(of: base), let ordinal = owner.relationshipOrdinal(named: name) else {
      return isToMany(base)
    }
    return owner.relationships[ordinal].isToMany || isToMany(base)
  }
}

extension OperandNode {
  /// Whether the value depends on nothing but constants.
  fileprivate var isKnownBeforehand: Bool {
    switch self {
    case .aggregate(let elements): elements.allSatisfy(\.isConstant)
    case .negation(let part): part.isConstant
    case .arithmetic(let left, _, let right), .setOperation(let left, _, let right):
      left.isConstant && right.isConstant
    case .cast(let value, let type): value.isConstant && type.isConstant
    case .first(let base), .last(let base), .size(let base): base.isConstant
    case .element(let base, let index): base.isConstant && index.isConstant
    case .function(let name, let arguments, _):
      !["now", "random", "random:", "randomn:"].contains(name)
        && arguments.allSatisfy(\.isConstant)
    case .constant, .attribute, .evaluatedObject, .key, .variable, .variableKey,
      .collectionOperator, .call, .subquery, .ternary:
      false
    }
  }

  /// Whether this is sure to give one value, and not nil.
  fileprivate var isScalar: Bool {
    switch self {
    case .attribute: true
    case .constant(.value(let value)): !value.isNull
    default: false
    }
  }

  private var isConstant: Bool {
    if case .constant = self { true } else { false }
  }
}
