/// An expression of a script outside a predicate.
package struct ExpressionSyntax: Hashable, Sendable {
  package var kind: Kind
  package var range: Range<Int>
  /// The number of levels in the tree, including this one.
  ///
  /// A parser returns none above ``ScriptParser/maximumHeight``.
  package let height: Int

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    height = kind.height + 1
  }

  package indirect enum Kind: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number with its text, so that a decimal attribute loses no digit.
    case real(Double, text: String)
    /// The parts of a string. A plain string has one text part or none.
    case string([StringPart])
    case date(DateLiteral)
    /// `Book/3`.
    case object(entity: String, number: Int64)
    case list([ExpressionSyntax])
    /// `1...9`, or `1..<9` if it is not closed.
    case range(ExpressionSyntax, ExpressionSyntax, isClosed: Bool)
    /// A bare name: variable, controller, or an attribute inside `update { }`.
    case name(String)
    /// `$name`, always a variable.
    case variable(String)
    case member(ExpressionSyntax, Name)
    /// `books[0, 1]`, `books.sections[0]`.
    case index(ExpressionSyntax, [ExpressionSyntax])
    /// `uppercase(title)`, `uuid("…")`, `now()`.
    case call(Name, [Argument])
    /// `books.indexPath(forObject: dune)`.
    case methodCall(ExpressionSyntax, Name, [Argument])
    /// `count(Book where pages > 100)`.
    case count(RequestSyntax)
    /// `insert Book(…)` as a value.
    case insert(InsertSyntax)
    /// `fetch Book where …` as a value.
    case fetch(RequestSyntax)
    case negation(ExpressionSyntax)
    case not(ExpressionSyntax)
    case binary(ExpressionSyntax, BinaryOperator, ExpressionSyntax)
  }

  package enum StringPart: Hashable, Sendable {
    case text(String)
    case interpolation(ExpressionSyntax)
  }

  package struct Argument: Hashable, Sendable {
    package var label: Name?
    package var value: ExpressionSyntax

    package init(label: Name?, value: ExpressionSyntax) {
      self.label = label
      self.value = value
    }
  }

  /// An operator with two operands; the raw value is its normal spelling.
  package enum BinaryOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "AND"
    case or = "OR"
  }
}

/// A date literal, which is known to exist in the calendar.
package struct DateLiteral: Hashable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour = 0
  package var minute = 0
  /// Seconds, with fractions.
  package var second = 0.0
  /// The time zone, in minutes east of UTC.
  package var offset = 0

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }
}
