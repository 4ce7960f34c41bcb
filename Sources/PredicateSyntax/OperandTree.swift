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
    /// `TRUE`, `YES`, `FALSE`, `NO`.
    /// A truth value, and the word by which it is written: YES, NO, TRUE or FALSE in
    /// any case.
    case boolean(Bool, word: String)
    case integer(Int64)
    /// The text is kept, so that a decimal attribute loses no digit; see
    /// ``init(real:)``.
    case real(Double, text: String)
    case string(String)
    /// `{1, 2}`.
    case aggregate([OperandTree])
    /// `SELF`.
    case evaluatedObject
    case anyKey
    /// A key alone or after a base: `title`, `author.name`, `$x.name`. A base of nil is the
    /// evaluated object. `name` carries no `#`.
    case key(String, of: OperandTree?)
    /// A collection operator, `books.@count` or `books.@avg.pages`, where the keys after the
    /// operator are its right part; an operator among them keeps its `@`.
    case collectionOperator(String, of: OperandTree?, right: [String])
    /// `$name`.
    case variable(String)
    /// The argument with this index, counted from 0: `%@`, a number such as
    /// `%d`, or a value that the host of the predicate put there.
    case argument(Int)
    /// `%K` with the index of its argument: a key path given at run time.
    case argumentKeyPath(Int, of: OperandTree?)
    /// `a.$x`: a key whose name is a variable's value.
    case variableKeyPath(String, of: OperandTree)
    case negation(OperandTree)
    case arithmetic(OperandTree, ArithmeticOperator, OperandTree)
    /// `a UNION b`.
    case setOperation(OperandTree, SetOperator, OperandTree)
    /// `list[0]`, `list[FIRST]`.
    case index(OperandTree, Index)
    /// `max:` or `add:to:` with its arguments; colons are part of the name.
    case function(String, [OperandTree])
    /// `FUNCTION(operand, 'selector:', …)`.
    case call(OperandTree, selector: OperandTree, [OperandTree])
    case subquery(OperandTree, variable: String, PredicateTree)
    case cast(OperandTree, to: OperandTree)
    case ternary(PredicateTree, OperandTree, OperandTree)
    /// `$x := expression`.
    case assignment(String, OperandTree)
  }

  /// A binary operator of arithmetic or bits; the raw value is its text.
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
  /// Whether both are written alike, places apart.
  ///
  /// `TRUE` and `YES` are the number 1, `FALSE` and `NO` the number 0, as Apple
  /// has it.
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
