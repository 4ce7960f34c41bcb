public import FetchedResults
public import Foundation
import PredicateSyntax

/// A Foundation expression that can be written in the format language.
protocol TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression
}

/// Translates one predicate.
///
/// It keeps track of variables and collects the arguments.
final class PredicateTranslator {
  private(set) var arguments: [PropertyValue] = []
  private var bindings: [PredicateExpressions.VariableID: OperandTree] = [:]
  private var variableCount = 0

  /// Translates an expression, or throws if the format language cannot express it.
  func translate(
    _ expression: some PredicateExpression
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    guard let translatable = expression as? any TranslatableExpression else {
      throw PredicateTranslationError(
        Self.name(of: expression), "the format language has no such operation")
    }
    return try translatable.translated(by: self)
  }

  /// Translates an expression to a condition.
  func condition(
    _ expression: some PredicateExpression
  ) throws(PredicateTranslationError) -> PredicateTree {
    guard let condition = try translate(expression).condition else {
      throw PredicateTranslationError(Self.name(of: expression), "it is not a truth value")
    }
    return condition
  }

  /// Translates an expression to a value.
  func operand(
    _ expression: some PredicateExpression
  ) throws(PredicateTranslationError) -> OperandTree {
    guard let operand = try translate(expression).operand else {
      throw PredicateTranslationError(
        Self.name(of: expression), "a range can only be asked whether it contains a value")
    }
    return operand
  }

  /// Returns the name of an expression for messages.
  static func name(of expression: some PredicateExpression) -> String {
    "\(expression)"
  }

  /// Returns an operand as text of the format language, for messages.
  func text(of operand: OperandTree) -> String {
    let tree = PredicateTree.comparing(operand, .equal, .make(.null))
    let format = FetchPredicate(tree: tree, arguments: arguments).predicateFormat
    return format.hasSuffix(" == nil") ? String(format.dropLast(7)) : format
  }

  // MARK: Values

  /// Returns an operand for a constant.
  func argument(_ value: PropertyValue) -> OperandTree {
    switch value {
    case .null: return .make(.null)
    case .bool(let truth): return .truth(truth)
    case .int(let number) where number >= 0: return .make(.integer(number))
    case .string(let text): return .make(.string(text))
    case .int, .double, .date, .decimal, .uuid, .uri, .data, .object, .list:
      arguments.append(value)
      return .make(.argument(arguments.count - 1))
    }
  }

  // MARK: Variables

  func bind(_ variable: PredicateExpressions.VariableID, to operand: OperandTree) {
    bindings[variable] = operand
  }

  func binding(of variable: PredicateExpressions.VariableID) -> OperandTree? {
    bindings[variable]
  }

  /// Returns a new name for the variable of a SUBQUERY.
  func newVariable() -> String {
    variableCount += 1
    return "x\(variableCount)"
  }
}

extension FetchPredicate {
  /// Translates a Foundation predicate.
  ///
  /// ```swift
  /// let long = try FetchPredicate(#Predicate<Book> { $0.pages > 300 })
  /// ```
  ///
  /// A fetch with it finds the objects for which Foundation's own evaluation is true, if every
  /// non-optional property has a value. Strings compare by Unicode scalars.
  ///
  /// - Throws: ``PredicateTranslationError`` if a part cannot be written in the format language.
  public init<Root: ManagedEntity>(
    _ predicate: Predicate<Root>
  ) throws(PredicateTranslationError) {
    let translator = PredicateTranslator()
    translator.bind(predicate.variable.key, to: .make(.evaluatedObject))
    let tree = try translator.condition(predicate.expression)
    self.init(tree: tree, arguments: translator.arguments)
  }
}
