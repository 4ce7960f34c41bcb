/// One side of a comparison: a value, a key path, or an expression over them.
package struct OperandTree: Equatable, Sendable {
  package var kind: Kind
  package var range: SourceRange

  package init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }

  package indirect enum Kind: Equatable, Sendable {
    case null
    /// A Boolean, with the word it was written as: YES, NO, TRUE or FALSE in any case.
    case boolean(Bool, word: String)
    case integer(Int64)
    /// A number with its text, so that a decimal attribute loses no digit; see ``init(real:)``.
    case real(Double, text: String)
    case string(String)
    /// `{1, 2}`.
    case aggregate([OperandTree])
    /// `SELF`.
    case evaluatedObject
    case anyKey
    /// A key, alone or after a base: `title`, `author.name`, `$x.name`. A base of nil is the
    /// evaluated object. The name does not include `#`.
    case key(String, of: OperandTree?)
    /// A collection operator such as `books.@count` or `books.@avg.pages`. The keys after the
    /// operator are its right part. An operator among them keeps its `@`.
    case collectionOperator(String, of: OperandTree?, right: [String])
    /// `$name`.
    case variable(String)
    /// The argument with this index, counted from 0: `%@`, a number such as `%d`, or a value of the
    /// predicate's host.
    case argument(Int)
    /// `%K` with the index of its argument: a key path given at run time.
    case argumentKeyPath(Int, of: OperandTree?)
    /// A key whose name is the value of a variable: `a.$x`.
    case variableKeyPath(String, of: OperandTree)
    case negation(OperandTree)
    case arithmetic(OperandTree, ArithmeticOperator, OperandTree)
    /// `a UNION b`.
    case setOperation(OperandTree, SetOperator, OperandTree)
    /// `list[0]`, `list[FIRST]`.
    case index(OperandTree, Index)
    /// A function such as `max:` or `add:to:`, with its arguments. The colons are part of the name.
    case function(String, [OperandTree])
    /// `FUNCTION(operand, 'selector:', …)`.
    case call(OperandTree, selector: OperandTree, [OperandTree])
    case subquery(OperandTree, variable: String, PredicateTree)
    case cast(OperandTree, to: OperandTree)
    case ternary(PredicateTree, OperandTree, OperandTree)
    /// `$x := expression`.
    case assignment(String, OperandTree)
  }

  /// A binary operator for arithmetic or bits.
  ///
  /// The raw value is its text.
  package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
  }

  package enum SetOperator: String, Hashable, Sendable, CaseIterable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }

  package indirect enum Index: Equatable, Sendable {
    case first
    case last
    case size
    case at(OperandTree)
  }
}

extension OperandTree {
  /// Whether both are the same expression, apart from their places.
  ///
  /// `TRUE` and `YES` equal the number 1, `FALSE` and `NO` the number 0, as on Apple's systems.
  package static func == (left: Self, right: Self) -> Bool {
    left.kind.withBooleanAsNumber == right.kind.withBooleanAsNumber
  }
}

extension OperandTree.Kind {
  fileprivate var withBooleanAsNumber: Self {
    if case .boolean(let value, word: _) = self { .integer(value ? 1 : 0) } else { self }
  }
}

extension OperandTree {
  /// The expressions directly inside this one, except those inside a predicate.
  package var parts: [OperandTree] {
    switch kind {
    case .null, .boolean, .integer, .real, .string, .evaluatedObject, .anyKey, .variable,
      .argument:
      []
    case .aggregate(let elements): elements
    case .key(_, let base), .collectionOperator(_, let base, _), .argumentKeyPath(_, let base):
      base.map { [$0] } ?? []
    case .variableKeyPath(_, let base), .negation(let base), .assignment(_, let base): [base]
    case .arithmetic(let left, _, let right), .setOperation(let left, _, let right):
      [left, right]
    case .index(let base, .at(let index)): [base, index]
    case .index(let base, .first), .index(let base, .last), .index(let base, .size): [base]
    case .function(_, let arguments): arguments
    case .call(let operand, let selector, let arguments): [operand, selector] + arguments
    case .subquery(let collection, _, _): [collection]
    case .cast(let value, let type): [value, type]
    case .ternary(_, let positive, let negative): [positive, negative]
    }
  }

  /// Whether the value is written out: a literal, an argument, or a list or cast of these.
  package var isLiteral: Bool {
    switch kind {
    case .null, .boolean, .integer, .real, .string, .argument: true
    case .aggregate, .negation, .cast: parts.allSatisfy(\.isLiteral)
    case .evaluatedObject, .anyKey, .key, .collectionOperator, .variable, .argumentKeyPath,
      .variableKeyPath, .arithmetic, .setOperation, .index, .function, .call, .subquery,
      .ternary, .assignment:
      false
    }
  }
}

extension OperandTree.Kind {
  /// Creates the number for a text with a decimal point or an exponent.
  ///
  /// It keeps the number's shortest text, so that `1.50` and `1.5` give equal trees, unless that
  /// would lose a digit.
  ///
  /// - Returns: Nil if the text is not a number, or if the number is too large.
  package init?(real text: String) {
    guard let value = Double(text), value.isFinite else { return nil }
    let shortest = value.description
    let digits = DecimalDigits(text)
    self = .real(value, text: digits != nil && digits == DecimalDigits(shortest) ? shortest : text)
  }
}

/// The exact value of a decimal text, however it is written.
private struct DecimalDigits: Equatable {
  private var isNegative = false
  /// The digits from the first to the last that is not 0.
  private var digits: [UInt8] = []
  /// The power of ten to multiply with the digits, read as an integer.
  private var exponent = 0

  /// - Returns: Nil if the exponent is not a 64-bit number.
  init?(_ text: String) {
    var isAfterPoint = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isAfterPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = Int32(String(decoding: rest, as: UTF8.self)) else { return nil }
        exponent += Int(power)
        rest = rest[rest.endIndex...]
      default:
        if isAfterPoint { exponent -= 1 }
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { exponent = 0 }
  }
}
