import Basics
public import Foundation
package import PredicateSyntax

/// A condition on objects, in the NSPredicate format language.
///
///     let predicate = try FetchPredicate(
///       format: "pages > %d AND title CONTAINS[cd] %@", 100, "dune")
///
/// A predicate knows no entity: whether its keys exist is found when a request
/// with it is executed.
public struct FetchPredicate: Sendable {
  package let tree: PredicateTree
  package let arguments: [PropertyValue]
  package let variables: [String: PropertyValue]

  package init(
    tree: PredicateTree, arguments: [PropertyValue] = [], variables: [String: PropertyValue] = [:]
  ) {
    self.tree = tree
    self.arguments = arguments
    self.variables = variables
  }

  /// Creates a predicate that every object matches, or none.
  public init(value: Bool) {
    self.init(tree: .constant(value))
  }

  /// Parses a format string.
  ///
  /// The arguments replace its `%@`, `%K` and numbers in order.
  ///
  /// Additional arguments are ignored.
  ///
  /// - Throws: ``InvalidPredicateError`` with Apple's text, if the string is not a predicate, an
  ///   argument is missing, or the argument of a `%K` is not a key path.
  public init(
    format: String, _ arguments: (any PredicateArgument)?...
  ) throws(InvalidPredicateError) {
    try self.init(format: format, argumentArray: arguments.map { $0?.predicateValue ?? .null })
  }

  /// Parses a format string with its arguments in an array.
  ///
  /// - Throws: ``InvalidPredicateError``, as ``init(format:_:)``.
  public init(format: String, argumentArray: [PropertyValue]) throws(InvalidPredicateError) {
    let parsed: ParsedFormat
    do {
      parsed = try PredicateParser.parseFormat(format)
    } catch {
      throw InvalidPredicateError.unparsable(format, error)
    }
    guard parsed.conversions.count <= argumentArray.count else {
      throw InvalidPredicateError.insufficientArguments.located(
        at: parsed.conversions[argumentArray.count].range)
    }
    let tree = try parsed.tree.rewritten { operand throws(InvalidPredicateError) -> OperandTree? in
      guard case .argumentKeyPath(let index, let base) = operand.kind else { return nil }
      guard let path = operand.path(argumentArray[index], of: base) else {
        throw InvalidPredicateError.badKeyPath(
          argumentArray[index], format: format, range: parsed.conversions[index].range)
      }
      return path
    }
    self.init(tree: tree, arguments: Array(argumentArray.prefix(parsed.conversions.count)))
  }

  /// Returns the predicate with values for `$` variables, in addition to those that it has.
  public func withSubstitutionVariables(_ variables: [String: PropertyValue]) -> FetchPredicate {
    FetchPredicate(
      tree: tree, arguments: arguments,
      variables: self.variables.merging(variables) { _, new in new })
  }

  /// The objects among the arguments and the values of variables.
  var objectIDs: [ObjectID] { (arguments + variables.values).flatMap(\.objectIDs) }

  /// Returns the predicate with new numbers of objects.
  package func renumbered(_ new: (ObjectID) -> ObjectID?) -> FetchPredicate {
    FetchPredicate(
      tree: tree, arguments: arguments.map { $0.renumbered(new) },
      variables: variables.mapValues { $0.renumbered(new) })
  }

  /// Resolves the keys in an entity once, for any number of objects.
  ///
  /// Related objects are looked up in the graph, which is not retained.
  ///
  /// - Parameter readsTransient: Whether the predicate may read transient properties, because no
  ///   store evaluates it.
  /// - Throws: ``InvalidPredicateError`` if the entity does not have a key.
  package func compile(
    for entity: EntityDescription, environment: EvaluationEnvironment,
    graph: (any ObjectGraph)? = nil, readsTransient: Bool = false
  ) throws(InvalidPredicateError) -> CompiledPredicate {
    try compile(
      entity: entity, environment: environment, graph: graph, readsTransient: readsTransient)
  }

  /// Prepares the predicate for objects whose values are read by key.
  ///
  /// - Throws: ``InvalidPredicateError`` if a variable has no value.
  package func compile(
    environment: EvaluationEnvironment
  ) throws(InvalidPredicateError) -> CompiledPredicate {
    try compile(entity: nil, environment: environment)
  }

  private func compile(
    entity: EntityDescription?, environment: EvaluationEnvironment,
    graph: (any ObjectGraph)? = nil, readsTransient: Bool = false
  ) throws(InvalidPredicateError) -> CompiledPredicate {
    var compiler = compiler(for: entity, environment: environment)
    compiler.readsTransient = readsTransient
    return CompiledPredicate(
      try compiler.compile(tree), entity: entity, graph: graph,
      isThreeValued: environment.isThreeValued)
  }

  func compiler(
    for entity: EntityDescription?, environment: EvaluationEnvironment
  ) -> PredicateCompiler {
    PredicateCompiler(
      entity: entity, arguments: arguments.map { PredicateValue($0.asArgument) },
      variables: variables.mapValues { PredicateValue($0.asArgument) }, environment: environment)
  }

  /// Returns whether an object with these values matches.
  ///
  /// A missing key counts as nil.
  ///
  /// - Throws: ``InvalidPredicateError`` if the evaluation raises.
  public func evaluate(
    with values: [String: PropertyValue],
    environment: EvaluationEnvironment = EvaluationEnvironment()
  ) throws(InvalidPredicateError) -> Bool {
    try compile(environment: environment)
      .matches(.dictionary(values.mapValues(PredicateValue.init)))
  }
}

extension PropertyValue {
  /// The value as an argument of a predicate: a Boolean becomes the number 1 or 0, like YES and NO.
  fileprivate var asArgument: PropertyValue {
    switch self {
    case .bool(let truth): .int(truth ? 1 : 0)
    case .list(let values): .list(values.map(\.asArgument))
    case .null, .int, .double, .string, .date, .decimal, .uuid, .uri, .data, .object: self
    }
  }
}

extension OperandTree {
  /// Returns the key path that replaces a `%K`; nil if the argument is not a key path.
  fileprivate func path(_ argument: PropertyValue, of base: OperandTree?) -> OperandTree? {
    guard let text = argument.string else { return nil }
    var result = base
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard !part.isEmpty, part != "@" else { return nil }
      result = OperandTree(Self.kind(of: String(part), after: result), range: range)
    }
    return result
  }

  private static func kind(of key: String, after base: OperandTree?) -> Kind {
    if case .collectionOperator(let name, let collection, let right) = base?.kind {
      return .collectionOperator(name, of: collection, right: right + [key])
    }
    if key.hasPrefix("@") {
      return .collectionOperator(String(key.dropFirst()), of: base, right: [])
    }
    return base == nil && key.uppercased() == "SELF" ? .evaluatedObject : .key(key, of: base)
  }
}

extension FetchPredicate {
  /// Returns a predicate that is true if all parts are true.
  ///
  /// Without parts, it is always true.
  ///
  /// A part that is itself a compound predicate stays a separate part.
  public static func and(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .and($0) }
  }

  /// Returns a predicate that is true if at least one part is true.
  ///
  /// Without parts, it is never true.
  public static func or(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .or($0) }
  }

  /// Returns a predicate that is true if the part is false.
  public static func not(_ part: FetchPredicate) -> FetchPredicate {
    FetchPredicate(
      tree: .not(part.tree), arguments: part.arguments, variables: part.variables)
  }

  /// Combines trees.
  ///
  /// The arguments of each part follow those of the parts before it.
  private static func combine(
    _ parts: [FetchPredicate], _ compound: ([PredicateTree]) -> PredicateTree
  ) -> FetchPredicate {
    var trees: [PredicateTree] = []
    var arguments: [PropertyValue] = []
    var variables: [String: PropertyValue] = [:]
    for part in parts {
      let offset = arguments.count
      trees.append(
        part.tree.rewritten { operand in
          guard case .argument(let index) = operand.kind else { return nil }
          return OperandTree(.argument(index + offset), range: operand.range)
        })
      arguments += part.arguments
      variables.merge(part.variables) { _, new in new }
    }
    return FetchPredicate(tree: compound(trees), arguments: arguments, variables: variables)
  }
}

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the normal form of the format language.
  ///
  /// Arguments and variables with a value are written out, dates as `CAST(seconds, "NSDate")`. The
  /// text parses to an equal predicate.
  public var predicateFormat: String {
    tree.normalForm(
      argument: { arguments.indices.contains($0) ? arguments[$0].predicateFormat : "%@" },
      variable: { variables[$0]?.predicateFormat },
      variableKey: { variables[$0]?.description })
  }

  /// Returns the predicate in the normal form, but with the words that were written for truth
  /// values.
  ///
  /// - Parameter spelling: Returns the text for an argument's or a variable's value; nil for the
  ///   text of the normal form.
  package func quotedFormat(spelling: @escaping (PropertyValue) -> String?) -> String {
    let text = { (value: PropertyValue) in spelling(value) ?? value.predicateFormat }
    return tree.normalForm(
      argument: { arguments.indices.contains($0) ? text(arguments[$0]) : "%@" },
      variable: { variables[$0].map(text) }, variableKey: { variables[$0]?.description },
      keepsWords: true)
  }

  /// The normal form.
  public var description: String { predicateFormat }
}

extension FetchPredicate {
  /// Returns the normal form for Apple's parser, with `%@` for some arguments and variables, together
  /// with their values in order.
  ///
  /// Key paths and strings that this parser refuses or reads differently are arguments as well, for
  /// `%K` and `%@`.
  package func format(
    withArguments isArgument: (PropertyValue) -> Bool
  ) -> (format: String, arguments: [PropertyValue]) {
    let found = FoundArguments()
    return withoutActuallyEscaping(isArgument) { isArgument in
      let text = { (value: PropertyValue) -> String in
        guard isArgument(value) || !value.isPlainInPredicate else { return value.predicateFormat }
        found.values.append(value)
        return "%@"
      }
      let keyPath = { (path: String) -> String in
        found.values.append(.string(path))
        return "%K"
      }
      let format = tree.normalForm(
        argument: { arguments.indices.contains($0) ? text(arguments[$0]) : "%@" },
        variable: { variables[$0].map(text) }, variableKey: { variables[$0]?.description },
        keyPath: keyPath, string: { text(.string($0)) })
      return (format, found.values)
    }
  }

  private final class FoundArguments {
    var values: [PropertyValue] = []
  }
}

extension FetchPredicate: Equatable {
  /// Whether both have the same normal form.
  public static func == (left: Self, right: Self) -> Bool {
    left.predicateFormat.hasSameScalars(as: right.predicateFormat)
  }
}

extension PropertyValue {
  fileprivate var isPlainInPredicate: Bool {
    switch self {
    case .string(let text): text.isPlainInPredicate
    case .list(let values): values.allSatisfy(\.isPlainInPredicate)
    case .null, .bool, .int, .double, .date, .decimal, .uuid, .uri, .data, .object: true
    }
  }

  /// The value as it is written in a predicate.
  ///
  /// Parsing the text gives the same value, so that calculations have the same result. For that, a
  /// floating-point number keeps its decimal point and a decimal its kind, while Apple prints the
  /// digits of both. The text of an object has a meaning only in a script.
  fileprivate var predicateFormat: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "1" : "0"
    case .int(let value): String(value)
    case .double(let value): value.predicateFormat
    case .string(let value): value.quotedForPredicate
    case .date(let value): cast(value.timeIntervalSinceReferenceDate.secondsFormat, "NSDate")
    case .decimal(let value): cast(value.description.quotedForPredicate, "NSDecimalNumber")
    case .uuid(let value): cast(value.uuidString.quotedForPredicate, "NSUUID")
    case .uri(let value): cast(value.absoluteString.quotedForPredicate, "NSURL")
    case .data(let value): cast(value.base64EncodedString().quotedForPredicate, "NSData")
    case .object(let value): value.description
    case .list(let values): "{" + values.map(\.predicateFormat).joined(separator: ", ") + "}"
    }
  }

  private func cast(_ value: String, _ type: String) -> String {
    "CAST(\(value), \"\(type)\")"
  }
}

extension Double {
  /// The number with all its digits, or a cast of its name if it is not a finite number.
  fileprivate var predicateFormat: String {
    isFinite ? description : "CAST(\"\(self)\", \"NSNumber\")"
  }

  /// The seconds with six digits after the decimal point, as Apple prints a date's, or with more if
  /// needed.
  fileprivate var secondsFormat: String {
    let microseconds = String(format: "%.6f", self)
    return Double(microseconds) == self ? microseconds : predicateFormat
  }
}

/// A type whose values can be arguments for `%@`, `%K` or a number in a format string.
public protocol PredicateArgument {
  /// The value that a predicate compares with.
  var predicateValue: PropertyValue { get }
}

extension PropertyValue: PredicateArgument {
  /// The value itself.
  public var predicateValue: PropertyValue { self }
}

extension String: PredicateArgument {
  /// A string.
  public var predicateValue: PropertyValue { .string(self) }
}

extension PredicateArgument where Self: BinaryInteger {
  /// An integer, or a decimal if it does not fit into 64 bits.
  public var predicateValue: PropertyValue {
    Int64(exactly: self).map(PropertyValue.int) ?? .decimal(Decimal(string: description) ?? .nan)
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
  /// A floating-point number.
  public var predicateValue: PropertyValue { .double(self) }
}

extension Float: PredicateArgument {
  /// A floating-point number.
  public var predicateValue: PropertyValue { .double(Double(self)) }
}

extension Bool: PredicateArgument {
  /// A Boolean.
  public var predicateValue: PropertyValue { .bool(self) }
}

extension Date: PredicateArgument {
  /// A date.
  public var predicateValue: PropertyValue { .date(self) }
}

extension UUID: PredicateArgument {
  /// A UUID.
  public var predicateValue: PropertyValue { .uuid(self) }
}

extension URL: PredicateArgument {
  /// A URI.
  public var predicateValue: PropertyValue { .uri(self) }
}

extension Data: PredicateArgument {
  /// Binary data.
  public var predicateValue: PropertyValue { .data(self) }
}

extension Decimal: PredicateArgument {
  /// A decimal number.
  public var predicateValue: PropertyValue { .decimal(self) }
}

extension ObjectID: PredicateArgument {
  /// A reference to the object.
  public var predicateValue: PropertyValue { .object(self) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  /// The value, or null for nil.
  public var predicateValue: PropertyValue { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// A list.
  public var predicateValue: PropertyValue { .list(map(\.predicateValue)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// A list, in an order that depends only on the elements.
  public var predicateValue: PropertyValue {
    .list(
      map(\.predicateValue).ordered { left, right in
        let order = left.ordering(right).map(\.rawValue)
        return order.map { $0 < 0 } ?? (left.description < right.description)
      })
  }
}
