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

/// A Foundation expression in terms of the format language.
indirect enum TranslatedExpression {
  /// A value, which may be null.
  case operand(OperandTree)
  /// A Boolean that is computed and not stored.
  case condition(PredicateTree)
  /// A Boolean that is nil under a condition.
  case optionalCondition(isNil: PredicateTree, PredicateTree)
  /// A range between two bounds.
  case range(OperandTree, OperandTree, isClosed: Bool)
  /// A list of constants.
  case list([OperandTree])

  /// A condition that the expression is true, if it is a Boolean and never nil.
  var condition: PredicateTree? {
    switch self {
    case .condition(let tree): tree
    case .operand(let operand):
      operand.truth.map(PredicateTree.constant) ?? .comparing(operand, .equal, .truth(true))
    case .optionalCondition, .range, .list: nil
    }
  }

  /// The expression as a value that can be compared.
  var operand: OperandTree? {
    switch self {
    case .operand(let operand): operand
    case .condition(let tree): .make(.ternary(tree, .truth(true), .truth(false)))
    case .optionalCondition(let isNil, let tree):
      .make(
        .ternary(isNil, .make(.null), .make(.ternary(tree, .truth(true), .truth(false)))))
    case .list(let elements): .make(.aggregate(elements))
    case .range: nil
    }
  }
}

extension OperandTree {
  /// Returns a node without a place in a text.
  static func make(_ kind: Kind) -> OperandTree {
    OperandTree(kind, range: SourceRange(0, 0))
  }

  static func truth(_ value: Bool) -> OperandTree {
    make(.boolean(value, word: value ? "YES" : "NO"))
  }

  /// The constant Boolean, if this is one.
  var truth: Bool? {
    if case .boolean(let value, word: _) = kind { value } else { nil }
  }

  /// Whether this is a key path, which is nil if an object on its way is nil.
  var isKeyPath: Bool {
    switch kind {
    case .evaluatedObject, .variable: true
    case .key(_, let base): base?.isKeyPath ?? true
    case .null, .boolean, .integer, .real, .string, .aggregate, .anyKey, .collectionOperator,
      .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic, .setOperation, .index,
      .function, .call, .subquery, .cast, .ternary, .assignment:
      false
    }
  }

  var isNull: Bool {
    if case .null = kind { true } else { false }
  }
}

extension PredicateTree {
  /// Returns a comparison without a place in a text.
  static func comparing(
    _ left: OperandTree, _ comparator: Comparator, _ right: OperandTree, _ options: Options = []
  ) -> PredicateTree {
    .comparison(
      Comparison(
        left: left, comparator: comparator, options: options, right: right,
        range: SourceRange(0, 0)))
  }

  /// Returns a condition that a value is nil.
  static func isNull(_ operand: OperandTree) -> PredicateTree {
    if operand.isNull { return .constant(true) }
    return operand.isLiteral ? .constant(false) : .comparing(operand, .equal, .make(.null))
  }

  /// Returns a conjunction, without constant parts.
  static func all(_ parts: PredicateTree...) -> PredicateTree {
    var kept: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(true): continue
      case .constant(false): return .constant(false)
      case .and(let inner): kept += inner
      case .or, .not, .comparison: kept.append(part)
      }
    }
    return kept.count == 1 ? kept[0] : kept.isEmpty ? .constant(true) : .and(kept)
  }

  /// Returns a disjunction, without constant parts.
  static func any(_ parts: PredicateTree...) -> PredicateTree {
    var kept: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(false): continue
      case .constant(true): return .constant(true)
      case .or(let inner): kept += inner
      case .and, .not, .comparison: kept.append(part)
      }
    }
    return kept.count == 1 ? kept[0] : kept.isEmpty ? .constant(false) : .or(kept)
  }

  /// The negated condition.
  var negated: PredicateTree {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let part): part
    case .and, .or, .comparison: .not(self)
    }
  }

  /// Returns a condition that two conditions are both true or both false.
  static func same(_ left: PredicateTree, _ right: PredicateTree) -> PredicateTree {
    switch (left, right) {
    case (.constant(let value), let other), (let other, .constant(let value)):
      value ? other : other.negated
    default: .any(.all(left, right), .all(left.negated, right.negated))
    }
  }
}

/// A part of a Foundation predicate that cannot be written in the format language.
public struct PredicateTranslationError: Error, Hashable, Sendable {
  /// The expression, in Foundation's description.
  public let expression: String
  /// The reason why it cannot be translated, and what to write instead.
  public let reason: String

  init(_ expression: String, _ reason: String) {
    self.expression = expression
    self.reason = reason
  }
}

extension PredicateTranslationError: _DescribedError {
  /// The expression and the reason.
  public var description: String { "cannot fetch by \(expression): \(reason)" }
}

// Apple's Foundation has this expression. Foundation on other systems does not.
#if !canImport(Darwin)
extension PredicateExpressions {
  /// Whether a string contains another one, ignoring case and diacritics.
  public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// A Boolean.
    public typealias Output = Bool

    /// The string to search in.
    public let root: Root
    /// The string to search for.
    public let other: Other

    /// Creates the expression.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Searches the string.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  // Foundation's macro expects this function name.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Creates the expression.
  ///
  /// `#Predicate` calls this for `localizedStandardContains`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}
#endif

/// An object that a `#Predicate` can compare with: one of a class with `@Managed`, or an optional.
public protocol CapturableObject: PredicateArgument, Equatable {}

extension Optional: CapturableObject where Wrapped: ManagedEntity {}

extension PredicateExpressions {
  /// An object that a `#Predicate` compares with.
  ///
  /// A predicate is `Sendable`, and an object belongs to one thread. So the predicate keeps the
  /// object's identity, by which a fetch compares.
  public struct CapturedObject<Output: CapturableObject>: StandardPredicateExpression {
    private let id: ObjectID?

    fileprivate init(_ captured: Value<Output>) { id = captured.value.predicateValue.objectID }

    fileprivate var value: PropertyValue { id.map(PropertyValue.object) ?? .null }

    /// Throws, because no object can be found by its identity without a context.
    ///
    /// - Throws: ``PredicateTranslationError``, always. Only a fetch evaluates such a predicate.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      throw PredicateTranslationError(
        "\(value)", "only a fetch can compare objects; compare the objects' id here")
    }
  }

  // Foundation's macro expects these names. A function for the captured object itself would let the
  // compiler try twice as many ways for each value of a predicate.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Creates the comparison of an object with a captured one, as `#Predicate` asks for.
  @_disfavoredOverload
  public static func build_Equal<LHS: PredicateExpression, Object: CapturableObject>(
    lhs: LHS, rhs: Value<Object>
  ) -> Equal<LHS, CapturedObject<Object>> where LHS.Output == Object {
    build_Equal(lhs: lhs, rhs: CapturedObject(rhs))
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Creates the comparison of an object with a captured one, as `#Predicate` asks for.
  @_disfavoredOverload
  public static func build_NotEqual<LHS: PredicateExpression, Object: CapturableObject>(
    lhs: LHS, rhs: Value<Object>
  ) -> NotEqual<LHS, CapturedObject<Object>> where LHS.Output == Object {
    build_NotEqual(lhs: lhs, rhs: CapturedObject(rhs))
  }
}

extension PredicateExpressions.CapturedObject: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(translator.argument(value))
  }
}
