/// A parsed predicate: its structure and places, without resolved names.
///
/// Compound nodes are flat: `a AND b AND c` is one `and` with three parts. Ranges count UTF-8 bytes
/// from the start of the source. Equality ignores them, so that two texts of the same predicate
/// give equal trees.
package indirect enum PredicateTree: Equatable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  case and([PredicateTree])
  case or([PredicateTree])
  case not(PredicateTree)
  case comparison(Comparison)

  /// A comparison, such as `ANY books.title ==[c] "dune"`.
  package struct Comparison: Equatable, Sendable {
    package var modifier: Modifier?
    package var left: OperandTree
    package var comparator: Comparator
    package var options: Options
    package var right: OperandTree
    package var range: SourceRange
    /// How the comparison was written, where this does not change the meaning.
    package var spelling = Spelling()

    package init(
      modifier: Modifier? = nil, left: OperandTree, comparator: Comparator,
      options: Options = [], right: OperandTree, range: SourceRange
    ) {
      self.modifier = modifier
      self.left = left
      self.comparator = comparator
      self.options = options
      self.right = right
      self.range = range
    }
  }

  /// How a comparison was written.
  ///
  /// Equality ignores it.
  package struct Spelling: Equatable, Sendable {
    /// Whether the operator was written as `NOT IN`.
    package var isNotIn = false

    package static func == (_: Self, _: Self) -> Bool { true }
    package func hash(into _: inout Hasher) {}
  }

  /// The modifiers `ANY` (also written `SOME`) and `ALL`; `NONE` is parsed as `NOT ANY`.
  package enum Modifier: String, Hashable, Sendable, CaseIterable {
    case any = "ANY"
    case all = "ALL"
  }

  /// The options after an operator, such as `[cd]`.
  package struct Options: OptionSet, Equatable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = Options(rawValue: 1)
    package static let diacriticInsensitive = Options(rawValue: 2)
    package static let normalized = Options(rawValue: 4)
    package static let locale = Options(rawValue: 8)
  }
}

/// A range in a source, in UTF-8 bytes.
///
/// Equality ignores it.
package struct SourceRange: Equatable, Sendable {
  package var lowerBound: Int
  package var upperBound: Int

  package init(_ lowerBound: Int, _ upperBound: Int) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  package var range: Range<Int> { lowerBound..<max(lowerBound, upperBound) }

  package static func == (_: Self, _: Self) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}

extension PredicateTree {
  /// The key paths of the evaluated object in the predicate, in order and without duplicates.
  ///
  /// A path with a collection operator includes the keys after it.
  package var keyPaths: [String] { keyPaths(inSubqueries: false) }

  /// Returns the key paths of the evaluated object, in order and without duplicates.
  ///
  /// - Parameter inSubqueries: Whether what the predicates of SUBQUERYs read from their variables is
  ///   included, as paths through the collection.
  package func keyPaths(inSubqueries: Bool) -> [String] {
    var finder = KeyPathFinder(entersSubqueries: inSubqueries)
    finder.collect(self, [:])
    return finder.found
  }
}

extension OperandTree {
  /// The keys of a path from the evaluated object; nil for other expressions.
  package var keyPath: String? { KeyPathFinder(entersSubqueries: false).keyPath(self, [:]) }
}

/// Collects the key paths of a predicate.
private struct KeyPathFinder {
  let entersSubqueries: Bool
  var found: [String] = []

  /// The paths of the collections of the enclosing SUBQUERYs, by the names of their variables.
  typealias Bound = [String: String]

  init(entersSubqueries: Bool) { self.entersSubqueries = entersSubqueries }

  mutating func collect(_ tree: PredicateTree, _ bound: Bound) {
    switch tree {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { collect(part, bound) }
    case .not(let part): collect(part, bound)
    case .comparison(let comparison):
      collect(comparison.left, bound)
      collect(comparison.right, bound)
    }
  }

  private mutating func collect(_ operand: OperandTree, _ bound: Bound) {
    if let path = keyPath(operand, bound) {
      if !found.contains(path) { found.append(path) }
      return
    }
    for part in operand.parts { collect(part, bound) }
    if case .ternary(let condition, _, _) = operand.kind { collect(condition, bound) }
    if entersSubqueries, case .subquery(let collection, let variable, let predicate) = operand.kind
    {
      var inner = bound
      inner[variable] = keyPath(collection, bound)
      collect(predicate, inner)
    }
  }

  /// Returns the keys of a path from the evaluated object; nil for other expressions.
  func keyPath(_ operand: OperandTree, _ bound: Bound) -> String? {
    switch operand.kind {
    case .key(let name, let base):
      guard let base, base.kind != .evaluatedObject else { return name }
      return keyPath(base, bound).map { "\($0).\(name)" }
    case .collectionOperator(_, let base, let right):
      return base.flatMap { keyPath($0, bound) }.map {
        ([$0] + right).joined(separator: ".")
      }
    case .variable(let name): return bound[name]
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic, .setOperation, .index,
      .function, .call, .subquery, .cast, .ternary, .assignment:
      return nil
    }
  }
}

extension PredicateTree: CustomStringConvertible {
  /// The predicate in Apple's normal form, with `%@` for each argument.
  package var description: String { normalForm { _ in "%@" } }

  /// Returns the predicate in the form of `predicateFormat`.
  ///
  /// It has `==` for `=`, AND, OR and NOT in capitals, parentheses around a compound within a
  /// compound, strings in `"…"`, and Booleans as 1 and 0. If there are no arguments, the text
  /// parses to an equal tree.
  ///
  /// - Parameters:
  ///   - argument: Returns the text for an argument, by its index.
  ///   - variable: Returns the text for a variable, by its name; nil to write the name. Variables
  ///     of SUBQUERYs are always written by name.
  ///   - variableKey: Returns the key for a variable after a dot, `a.$x`.
  ///   - keyPath: Returns the text for a key path that Apple's parser refuses, because a key is not
  ///     ASCII; nil to write its keys.
  ///   - string: Returns the text for a string that Apple's parser reads differently; nil to write
  ///     it.
  ///   - keepsWords: Whether Booleans keep the words they were written as, for a text that quotes
  ///     the predicate.
  /// - Complexity: O(*n*) in the size of the tree.
  package func normalForm(
    argument: @escaping (Int) -> String,
    variable: @escaping (String) -> String? = { _ in nil },
    variableKey: @escaping (String) -> String? = { _ in nil },
    keyPath: @escaping (String) -> String? = { _ in nil },
    string: @escaping (String) -> String? = { _ in nil }, keepsWords: Bool = false
  ) -> String {
    var printer = PredicatePrinter(
      argument: argument, variable: variable, variableKey: variableKey, keyPath: keyPath,
      string: string, keepsWords: keepsWords)
    printer.print(self)
    return printer.text
  }
}

extension OperandTree: CustomStringConvertible {
  /// The value in Apple's normal form, with `%@` for each argument.
  package var description: String { normalForm { _ in "%@" } }

  /// Returns the value in the normal form.
  package func normalForm(
    argument: @escaping (Int) -> String, keepsWords: Bool = false
  ) -> String {
    var printer = PredicatePrinter(argument: argument, keepsWords: keepsWords)
    printer.print(self)
    return printer.text
  }
}

extension PredicateTree.Options {
  /// The options as they are printed, such as `[cd]`; empty if there are none.
  var normalForm: String {
    guard !isEmpty else { return "" }
    var text = "["
    if contains(.caseInsensitive) { text += "c" }
    if contains(.diacriticInsensitive) { text += "d" }
    if contains(.normalized) { text += "n" }
    if contains(.locale) { text += "l" }
    return text + "]"
  }
}

/// A part of a predicate that Apple's parser refuses, or whose meaning may surprise.
package struct PredicateRefusal: Equatable, Sendable {
  package let range: SourceRange
  package let reason: Reason

  package enum Reason: Equatable, Sendable {
    /// `x NOT IN y`, which Apple's parser accepts only as `NOT x IN y`.
    case notIn
    /// A key with a letter outside ASCII.
    case key(String)
    /// A LIKE pattern with SQL's `%`, which has no special meaning here.
    case sqlPattern(String)
  }
}

extension PredicateTree {
  /// The parts of the predicate that Apple's parser refuses, in the order of the text.
  package var refusals: [PredicateRefusal] {
    var found: [PredicateRefusal] = []
    addRefusals(to: &found)
    return found
  }

  fileprivate func addRefusals(to found: inout [PredicateRefusal]) {
    switch self {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { part.addRefusals(to: &found) }
    case .not(let part): part.addRefusals(to: &found)
    case .comparison(let comparison):
      comparison.left.addRefusals(to: &found)
      if comparison.spelling.isNotIn {
        found.append(PredicateRefusal(range: comparison.range, reason: .notIn))
      }
      if case .string(let pattern) = comparison.right.kind, comparison.comparator == .like,
        pattern.contains("%"), !pattern.contains(where: { $0 == "*" || $0 == "?" })
      {
        found.append(PredicateRefusal(range: comparison.range, reason: .sqlPattern(pattern)))
      }
      comparison.right.addRefusals(to: &found)
    }
  }
}

extension OperandTree {
  fileprivate func addRefusals(to found: inout [PredicateRefusal]) {
    for part in parts { part.addRefusals(to: &found) }
    switch kind {
    case .key(let name, _):
      if !name.utf8.allSatisfy({ $0 < 0x80 }) {
        found.append(PredicateRefusal(range: range, reason: .key(name)))
      }
    case .subquery(_, _, let predicate): predicate.addRefusals(to: &found)
    case .ternary(let condition, _, _): condition.addRefusals(to: &found)
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index, .function, .call, .cast, .assignment:
      break
    }
  }
}

extension PredicateTree {
  /// Returns the tree with replaced values, starting with the innermost.
  ///
  /// The closure returns nil for a value that stays.
  ///
  /// - Throws: The error of the closure.
  /// - Complexity: O(*n*) in the size of the tree.
  package func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> PredicateTree {
    switch self {
    case .constant: return self
    case .and(let parts): return .and(try Self.rewritten(parts, replace))
    case .or(let parts): return .or(try Self.rewritten(parts, replace))
    case .not(let part): return .not(try part.rewritten(replace))
    case .comparison(var comparison):
      comparison.left = try comparison.left.rewritten(replace)
      comparison.right = try comparison.right.rewritten(replace)
      return .comparison(comparison)
    }
  }

  private static func rewritten<Failure: Error>(
    _ parts: [PredicateTree], _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> [PredicateTree] {
    try parts.map { part throws(Failure) in try part.rewritten(replace) }
  }
}

extension OperandTree {
  /// Returns the value with replaced values in it, starting with the innermost.
  ///
  /// - Throws: The error of the closure.
  package func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> OperandTree {
    var tree = self
    tree.kind = try kind.rewritten(replace)
    return try replace(tree) ?? tree
  }

  fileprivate static func rewritten<Failure: Error>(
    _ operands: [OperandTree], _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> [OperandTree] {
    try operands.map { operand throws(Failure) in try operand.rewritten(replace) }
  }
}

extension OperandTree.Kind {
  fileprivate func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> Self {
    switch self {
    case .null, .boolean, .integer, .real, .string, .evaluatedObject, .anyKey, .variable,
      .argument, .key(_, of: nil), .collectionOperator(_, of: nil, _),
      .argumentKeyPath(_, of: nil):
      return self
    case .aggregate(let elements):
      return .aggregate(try OperandTree.rewritten(elements, replace))
    case .key(let name, let base?): return .key(name, of: try base.rewritten(replace))
    case .collectionOperator(let name, let base?, let right):
      return .collectionOperator(name, of: try base.rewritten(replace), right: right)
    case .argumentKeyPath(let index, let base?):
      return .argumentKeyPath(index, of: try base.rewritten(replace))
    case .variableKeyPath(let name, let base):
      return .variableKeyPath(name, of: try base.rewritten(replace))
    case .negation(let part): return .negation(try part.rewritten(replace))
    case .arithmetic(let left, let sign, let right):
      return .arithmetic(try left.rewritten(replace), sign, try right.rewritten(replace))
    case .setOperation(let left, let sign, let right):
      return .setOperation(try left.rewritten(replace), sign, try right.rewritten(replace))
    case .index(let base, .at(let index)):
      return .index(try base.rewritten(replace), .at(try index.rewritten(replace)))
    case .index(let base, let index): return .index(try base.rewritten(replace), index)
    case .function, .call, .subquery, .cast, .ternary, .assignment:
      return try rewrittenCall(replace)
    }
  }

  private func rewrittenCall<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> Self {
    switch self {
    case .function(let name, let arguments):
      return .function(name, try OperandTree.rewritten(arguments, replace))
    case .call(let operand, let selector, let arguments):
      return .call(
        try operand.rewritten(replace), selector: try selector.rewritten(replace),
        try OperandTree.rewritten(arguments, replace))
    case .subquery(let collection, let variable, let predicate):
      return .subquery(
        try collection.rewritten(replace), variable: variable,
        try predicate.rewritten(replace))
    case .cast(let value, let type):
      return .cast(try value.rewritten(replace), to: try type.rewritten(replace))
    case .ternary(let condition, let positive, let negative):
      return .ternary(
        try condition.rewritten(replace), try positive.rewritten(replace),
        try negative.rewritten(replace))
    case .assignment(let name, let value):
      return .assignment(name, try value.rewritten(replace))
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index:
      return self
    }
  }
}
