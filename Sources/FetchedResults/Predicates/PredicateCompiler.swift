import Foundation
import PredicateSyntax

/// Compiles a tree to nodes: keys become indices, constant strings become tests, and constant
/// expressions are computed once.
struct PredicateCompiler {
  /// The entity of the objects; nil if the objects' values are read by key.
  let entity: EntityDescription?
  let arguments: [PredicateValue]
  let variables: [String: PredicateValue]
  let environment: EvaluationEnvironment
  /// Whether transient properties have values, because no store reads them.
  var readsTransient = false
  /// The variables of the enclosing SUBQUERYs, with the entities of their objects if known.
  private(set) var bound: [String: EntityDescription?] = [:]
  /// Whether number literals with a decimal point are read as decimals, because they are compared
  /// with a decimal attribute.
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

  func compile(_ tree: PredicateTree) throws(InvalidPredicateError) -> PredicateNode {
    switch tree {
    case .constant(let value): .constant(value)
    case .and(let parts): .all(try compile(parts))
    case .or(let parts): .any(try compile(parts))
    case .not(let part): .not(try compile(part))
    case .comparison(let comparison): try compile(comparison)
    }
  }

  private func compile(_ parts: [PredicateTree]) throws(InvalidPredicateError) -> [PredicateNode] {
    try parts.map(compile)
  }

  private func compile(
    _ comparison: PredicateTree.Comparison
  ) throws(InvalidPredicateError) -> PredicateNode {
    var (left, right) = (try compile(comparison.left), try compile(comparison.right))
    if attributeType(of: left) == .decimal { right = try readingDecimals.compile(comparison.right) }
    if attributeType(of: right) == .decimal { left = try readingDecimals.compile(comparison.left) }
    if comparison.modifier == nil, hasStrayToMany(left, comparison.comparator, right) {
      throw InvalidPredicateError.toManyKey(range: comparison.range.range)
    }
    var rule = ComparisonRule(
      comparison.comparator, comparison.options, locale: environment.locale)
    if case .constant(.value(.string(let pattern))) = right,
      let operation = comparison.comparator.textOperation
    {
      rule.preparedTest = TextTest(
        operation == .relation(.notEqual) ? .relation(.equal) : operation, comparison.options,
        pattern: pattern, locale: environment.locale)
    }
    let node = ComparisonNode(
      modifier: comparison.modifier, left: left, rule: rule, right: right,
      range: comparison.range.range)
    return shortcut(for: node, entity: entity)
  }

  private var readingDecimals: Self {
    var compiler = self
    compiler.readsDecimals = true
    return compiler
  }

  // MARK: Operands

  func compile(_ tree: OperandTree) throws(InvalidPredicateError) -> OperandNode {
    let node = try compile(tree.kind, range: tree.range.range)
    guard node.isKnownBeforehand, let value = try? node.value(in: emptyScope) else { return node }
    return .constant(value)
  }

  private var emptyScope: PredicateScope {
    PredicateScope(snapshot: ObjectSnapshot([]), object: nil, subject: nil)
  }

  private func compile(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(InvalidPredicateError) -> OperandNode {
    switch kind {
    case .null: return .constant(.null)
    // TRUE is the number 1, and is printed like that.
    case .boolean(let value, word: _): return .constant(.value(.int(value ? 1 : 0)))
    case .integer(let value): return .constant(.value(.int(value)))
    case .real(let value, let text):
      let decimal = readsDecimals ? Decimal(string: text) : nil
      return .constant(.value(decimal.map(PropertyValue.decimal) ?? .double(value)))
    case .string(let value): return .constant(.value(.string(value)))
    case .argument(let index):
      guard arguments.indices.contains(index) else {
        throw InvalidPredicateError.insufficientArguments
      }
      return .constant(readsDecimals ? arguments[index].readAsDecimal : arguments[index])
    case .aggregate(let elements): return .aggregate(try compile(elements))
    case .evaluatedObject: return .evaluatedObject
    case .anyKey: throw InvalidPredicateError.unsupportedFunction("ANYKEY")
    case .key, .collectionOperator, .argumentKeyPath, .variableKeyPath, .variable:
      return try compilePath(kind, range: range)
    case .negation(let part): return .negation(try compile(part))
    case .arithmetic(let left, let sign, let right):
      return .arithmetic(try compile(left), sign, try compile(right))
    case .setOperation(let left, let sign, let right):
      return .setOperation(try compile(left), sign, try compile(right))
    case .index(let base, let index): return try compile(base, at: index, range: range)
    case .function, .call, .subquery, .cast, .ternary, .assignment:
      return try compileCall(kind, range: range)
    }
  }

  private func compile(_ trees: [OperandTree]) throws(InvalidPredicateError) -> [OperandNode] {
    try trees.map(compile)
  }

  private func compile(
    _ base: OperandTree, at index: OperandTree.Index, range: Range<Int>
  ) throws(InvalidPredicateError) -> OperandNode {
    let base = try compile(base)
    try checkHasElements(base, for: index, range: range)
    return switch index {
    case .first: .first(base)
    case .last: .last(base)
    case .size: .size(base)
    case .at(let index): .element(base, at: try compile(index))
    }
  }

  private func compileCall(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(InvalidPredicateError) -> OperandNode {
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
    // No expression can read the variable afterwards, so only its value matters.
    case .assignment(_, let value): return try compile(value)
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index:
      return .constant(.null)
    }
  }
}

extension PredicateValue {
  /// A floating-point number as the decimal with its shortest text.
  fileprivate var readAsDecimal: PredicateValue {
    switch self {
    case .value(.double(let number)) where number.isFinite:
      Decimal(string: number.description).map { .value(.decimal($0)) } ?? self
    case .list(let elements): .list(elements.map(\.readAsDecimal))
    case .value, .set, .dictionary, .subject: self
    }
  }
}

extension OperandNode {
  /// Whether the value depends only on constants.
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
    case .constant, .attribute, .related, .evaluatedObject, .key, .variable, .variableKey,
      .collectionOperator, .call, .subquery, .ternary:
      false
    }
  }

  private var isConstant: Bool {
    if case .constant = self { true } else { false }
  }
}

/// Finds comparisons of one attribute with a constant. The attribute belongs to the object itself
/// or to one at the end of a to-one path.
extension PredicateCompiler {
  /// Returns the fastest node with the same meaning as the comparison.
  func shortcut(for node: ComparisonNode, entity: EntityDescription?) -> PredicateNode {
    let general = PredicateNode.comparison(node)
    guard let entity, node.modifier == nil else { return general }
    switch (node.left, node.right) {
    case (.attribute(let index), .constant(let known)):
      return test(
        index, entity.attributes[index].type, node.rule.comparator, known, node) ?? general
    case (.constant(let known), .attribute(let index)):
      guard let comparator = node.rule.comparator.mirrored else { return general }
      return test(index, entity.attributes[index].type, comparator, known, node) ?? general
    case (.related(let steps, let index, let type), .constant(let known)):
      // The same comparison, evaluated on the object at the end of the path.
      let inner = ComparisonNode(
        modifier: nil, left: .attribute(index), rule: node.rule, right: node.right,
        range: node.range)
      return test(index, type, node.rule.comparator, known, inner)
        .map { .related(steps, $0, node) } ?? general
    case (let path, .constant(let known)):
      guard let steps = toOneSteps(to: path), let ordinal = steps.last,
        let test = ObjectTest(node.rule.comparator, known)
      else { return general }
      let inner = PredicateNode.object(ordinal, test)
      return steps.count == 1 ? inner : .related(steps.dropLast(), inner, node)
    default: return general
    }
  }

  private func test(
    _ index: Int, _ type: AttributeType, _ comparator: PredicateTree.Comparator,
    _ known: PredicateValue, _ node: ComparisonNode
  ) -> PredicateNode? {
    switch (comparator, known) {
    case (.equal, .value(.null)): return .null(index)
    case (.notEqual, .value(.null)): return .not(.null(index))
    case (_, .value(let value)):
      return scalarTest(index, type, comparator, value, node)
    case (.in, .list(let members)):
      guard type == .string ? node.rule.options.isEmpty : type.isInteger,
        let test = MembershipTest(members)
      else { return nil }
      return .membership(index, test, node)
    case (.between, .list(let bounds)) where bounds.count == 2:
      return betweenTest(index, type, bounds[0], bounds[1], node)
    default: return nil
    }
  }

  private func scalarTest(
    _ index: Int, _ type: AttributeType, _ comparator: PredicateTree.Comparator,
    _ value: PropertyValue, _ node: ComparisonNode
  ) -> PredicateNode? {
    if type == .string, case .string(let pattern) = value {
      guard let operation = comparator.textOperation else { return nil }
      let test = TextTest(
        operation, node.rule.options, pattern: pattern, locale: environment.locale)
      return .text(index, test, comparator == .notEqual, node)
    }
    if type.isInteger, let bound = value.integer {
      return IntegerTest(comparator, bound).map { .integer(index, $0, node) }
    }
    if type.isReal, let bound = value.real(for: type) {
      return RealTest(comparator, bound).map { .real(index, $0, node) }
    }
    return nil
  }

  private func betweenTest(
    _ index: Int, _ type: AttributeType, _ lower: PredicateValue, _ upper: PredicateValue,
    _ node: ComparisonNode
  ) -> PredicateNode? {
    guard case .value(let lower) = lower, case .value(let upper) = upper else { return nil }
    if type.isInteger, let lower = lower.integer, let upper = upper.integer {
      return .integer(index, IntegerTest(between: lower, upper), node)
    }
    if type.isReal, let lower = lower.real(for: type), let upper = upper.real(for: type) {
      return .real(index, RealTest(between: lower, upper), node)
    }
    return nil
  }
}

extension PredicateTree.Comparator {
  /// The operator with the same meaning if the sides are exchanged.
  fileprivate var mirrored: Self? {
    switch family {
    case .relation(let relation): Self(relation.mirrored)
    case .containment: .in
    case .membership: .contains
    case .between, .text: nil
    }
  }
}

extension AttributeType {
  fileprivate var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    case .string, .double, .float, .decimal, .date, .uuid, .uri, .binaryData: false
    }
  }

  fileprivate var isReal: Bool {
    switch self {
    case .double, .float, .date: true
    case .string, .integer16, .integer32, .integer64, .decimal, .boolean, .uuid, .uri,
      .binaryData:
      false
    }
  }
}

extension PropertyValue {
  fileprivate var integer: Int64? {
    switch self {
    case .int(let number): number
    case .bool(let truth): truth ? 1 : 0
    case .null, .double, .string, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// Returns the number to compare values of the attribute with.
  ///
  /// A NaN is left to the general comparison.
  fileprivate func real(for type: AttributeType) -> Double? {
    guard type != .date else { return date?.timeIntervalSinceReferenceDate }
    return double.flatMap { $0.isNaN ? nil : $0 }
  }
}
