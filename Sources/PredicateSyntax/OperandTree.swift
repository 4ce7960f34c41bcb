/// One side of a comparison: a value, a key path, or an expression over them.
package struct OperandTree: Hashable, Sendable {
  package var kind: Kind
  package var range: SourceRange

  package init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }

  package indirect enum Kind: Hashable, Sendable {
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

  package indirect enum Index: Hashable, Sendable {
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

  package func hash(into hasher: inout Hasher) { hasher.combine(kind.withBooleanAsNumber) }
}

extension OperandTree.Kind {
  fileprivate var withBooleanAsNumber: Self {
    if case .boolean(let value, word: _) = self { .integer(value ? 1 : 0) } else { self }
  }
}
