import Foundation
import PredicateSyntax

/// An expression that is ready for evaluation.
indirect enum OperandNode {
  case constant(PredicateValue)
  /// An attribute of the entity that the predicate was compiled for.
  case attribute(Int)
  /// An attribute of the object at the end of a path of to-one relationships, given by their
  /// ordinals.
  case related([Int], attribute: Int, AttributeType)
  case evaluatedObject
  case key(String, of: OperandNode)
  case variable(String, range: Range<Int>)
  case variableKey(String, of: OperandNode, range: Range<Int>)
  case collectionOperator(CollectionOperator, of: OperandNode, right: [String])
  case aggregate([OperandNode])
  case negation(OperandNode)
  case arithmetic(OperandNode, OperandTree.ArithmeticOperator, OperandNode)
  case setOperation(OperandNode, OperandTree.SetOperator, OperandNode)
  case first(OperandNode)
  case last(OperandNode)
  case size(OperandNode)
  case element(OperandNode, at: OperandNode)
  case function(String, [OperandNode], EvaluationEnvironment)
  case call(OperandNode, selector: OperandNode, [OperandNode], range: Range<Int>)
  case subquery(OperandNode, variable: String, PredicateNode)
  case cast(OperandNode, to: OperandNode)
  case ternary(PredicateNode, OperandNode, OperandNode)

  /// Returns the expression's value in the scope.
  func value(in scope: PredicateScope) throws(InvalidPredicateError) -> PredicateValue {
    switch self {
    case .constant(let value): return value
    case .attribute(let index): return PredicateValue(scope.snapshot[index])
    case .related(let steps, let index, _):
      return scope.related(by: steps).map { PredicateValue($0.snapshot[index]) } ?? .null
    case .evaluatedObject: return scope.evaluatedObject
    case .key, .variable, .variableKey, .collectionOperator: return try pathValue(in: scope)
    case .aggregate(let elements): return .list(try Self.values(of: elements, in: scope))
    case .negation(let part): return try PredicateArithmetic.negated(part.value(in: scope))
    case .arithmetic(let left, let sign, let right):
      return try PredicateArithmetic.apply(
        sign, try left.value(in: scope), try right.value(in: scope))
    case .setOperation(let left, let sign, let right):
      return try Self.combine(try left.value(in: scope), sign, try right.value(in: scope))
    case .first, .last, .size, .element: return try elementValue(in: scope)
    case .function(let name, let arguments, let environment):
      return try PredicateFunctions.call(
        name, try Self.values(of: arguments, in: scope), environment)
    case .call(let operand, let selector, let arguments, let range):
      return try PredicateFunctions.perform(
        try selector.value(in: scope), on: try operand.value(in: scope),
        try Self.values(of: arguments, in: scope), range: range)
    case .subquery(let collection, let variable, let predicate):
      return try Self.members(
        of: try collection.value(in: scope), variable, where: predicate, in: scope)
    case .cast(let value, let type):
      let type = try type.value(in: scope).description
      return try PredicateCast.cast(try value.value(in: scope), to: type)
    case .ternary(let condition, let positive, let negative):
      return try condition.matches(scope)
        ? positive.value(in: scope) : negative.value(in: scope)
    }
  }

  private func pathValue(in scope: PredicateScope) throws(InvalidPredicateError) -> PredicateValue {
    switch self {
    case .key(let name, let base):
      return try KeyValueCoding.value(forKey: name, of: try base.askableValue(in: scope))
    case .variable(let name, let range):
      guard let value = scope.bindings[name] else {
        throw InvalidPredicateError.unboundVariable(name, range: range)
      }
      return value
    case .variableKey(let name, let base, let range):
      guard let key = scope.bindings[name] else {
        throw InvalidPredicateError.unboundVariable(name, range: range)
      }
      return try KeyValueCoding.value(forKey: key.description, of: try base.value(in: scope))
    case .collectionOperator(let function, let base, let right):
      return try KeyValueCoding.apply(
        function, to: try base.askableValue(in: scope), right: right[...])
    case .constant, .attribute, .related, .evaluatedObject, .aggregate, .negation, .arithmetic,
      .setOperation, .first, .last, .size, .element, .function, .call, .subquery, .cast, .ternary:
      return .null
    }
  }

  /// The value, in which objects that were given as constants can be asked for keys as well.
  private func askableValue(in scope: PredicateScope) throws(InvalidPredicateError)
    -> PredicateValue
  {
    guard case .constant(let value) = self else { return try self.value(in: scope) }
    return value.askable(in: scope.graph)
  }

  private static func values(
    of operands: [OperandNode], in scope: PredicateScope
  ) throws(InvalidPredicateError) -> [PredicateValue] {
    var values: [PredicateValue] = []
    values.reserveCapacity(operands.count)
    for operand in operands { values.append(try operand.value(in: scope)) }
    return values
  }

  // MARK: Elements

  private func elementValue(in scope: PredicateScope) throws(InvalidPredicateError)
    -> PredicateValue
  {
    switch self {
    case .first(let base):
      return try Self.elements(of: try base.value(in: scope), "[FIRST]").first ?? .null
    case .last(let base):
      return try Self.elements(of: try base.value(in: scope), "[LAST]").last ?? .null
    case .size(let base):
      let value = try base.value(in: scope)
      if value.isNull { return .null }
      return .value(.int(Int64(try Self.elements(of: value, "[SIZE]").count)))
    case .element(let base, let index):
      return try Self.element(of: try base.value(in: scope), at: try index.value(in: scope))
    case .constant, .attribute, .related, .evaluatedObject, .key, .variable, .variableKey,
      .collectionOperator, .aggregate, .negation, .arithmetic, .setOperation, .function, .call,
      .subquery, .cast, .ternary:
      return .null
    }
  }

  private static func elements(
    of value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> [PredicateValue] {
    if value.isNull { return [] }
    guard let elements = value.elements else {
      throw InvalidPredicateError.needsCollection(value, for: name)
    }
    return elements
  }

  /// Returns an element of a list, or the value of a dictionary's key.
  static func element(
    of base: PredicateValue, at index: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    switch (base, index) {
    case (.value(.null), _): return .null
    case (.list(let elements), .value(.int(let number))):
      guard let place = Int(exactly: number), elements.indices.contains(place) else {
        throw InvalidPredicateError.outOfBounds(number, count: elements.count)
      }
      return elements[place]
    case (.dictionary(let entries), .value(.string(let key))): return entries[key] ?? .null
    default: throw InvalidPredicateError.badIndex(index, of: base)
    }
  }

  // MARK: Sets

  /// UNION, INTERSECT and MINUS.
  ///
  /// Nil counts as an empty set, and the result is a set.
  private static func combine(
    _ left: PredicateValue, _ sign: OperandTree.SetOperator, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    let rule = ComparisonRule.equality
    let a = try elements(of: left, sign.rawValue).withoutDuplicates(by: rule)
    let b = try elements(of: right, sign.rawValue)
    guard sign != .union else { return .set(try (a + b).withoutDuplicates(by: rule)) }
    var kept: [PredicateValue] = []
    for element in a where try b.contains(element, by: rule) == (sign == .intersect) {
      kept.append(element)
    }
    return .set(kept)
  }

  /// The members of a collection for which the predicate is true.
  ///
  /// A key without a variable still belongs to the outer object.
  private static func members(
    of collection: PredicateValue, _ variable: String, where predicate: PredicateNode,
    in scope: PredicateScope
  ) throws(InvalidPredicateError) -> PredicateValue {
    var inner = scope
    var members: [PredicateValue] = []
    for element in try elements(of: collection, "SUBQUERY") {
      try InvalidPredicateError.checkStop()
      inner.bindings[variable] = element
      if try predicate.matches(inner) { members.append(element) }
    }
    return .list(members)
  }
}
