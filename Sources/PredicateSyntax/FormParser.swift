/// Reads SUBQUERY, CAST, TERNARY and FUNCTION, which look like functions but have their own syntax.
struct FormParser {
  let cursor: PredicateCursor
  /// The form's name.
  let word: PredicateCursor.Token

  init(_ cursor: PredicateCursor, word: PredicateCursor.Token) {
    self.cursor = cursor
    self.word = word
  }

  func subquery(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let collection = try OperandParser(cursor).parse()
      let tree = try cursor.operand(of: collection)
      try takeComma(after: 1, of: 3)
      let variable = try NameParser(cursor).variable(cursor.peekOperand())
      try takeComma(after: 2, of: 3)
      let condition = try cursor.binding(variable) { () throws(PredicateSyntaxError) in
        try CompoundParser(cursor).parse()
      }
      let predicate = try cursor.predicate(of: condition)
      return (
        OperandTree.Kind.subquery(tree, variable: variable, predicate),
        max(collection.height, condition.height)
      )
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  func cast(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let value = try OperandParser(cursor).parse()
      let tree = asWritten(try cursor.operand(of: value))
      try takeComma(after: 1, of: 2)
      let type = try OperandParser(cursor).parse()
      let typeTree = try cursor.operand(of: type)
      return (OperandTree.Kind.cast(tree, to: typeTree), max(value.height, type.height))
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Returns a number with all its written digits.
  ///
  /// A date's seconds have six digits after the decimal point, as Apple prints them.
  private func asWritten(_ tree: OperandTree) -> OperandTree {
    guard case .real(let value, _) = tree.kind,
      case let text = cursor.text(tree.range.range), Double(text) == value
    else { return tree }
    return OperandTree(.real(value, text: text), range: tree.range)
  }

  func ternary(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let condition = try CompoundParser(cursor).parse()
      let predicate = try cursor.predicate(of: condition)
      try takeComma(after: 1, of: 3)
      let positive = try OperandParser(cursor).parse()
      let positiveTree = try cursor.operand(of: positive)
      try takeComma(after: 2, of: 3)
      let negative = try OperandParser(cursor).parse()
      let negativeTree = try cursor.operand(of: negative)
      return (
        OperandTree.Kind.ternary(predicate, positiveTree, negativeTree),
        max(condition.height, positive.height, negative.height)
      )
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Reads `FUNCTION(operand, 'selector:', …)`.
  func call(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")", isList: true) {
      () throws(PredicateSyntaxError) in
      let (operands, height) = try OperandParser(cursor).parseList()
      guard operands.count > 1 else { throw missingComma(after: 1, of: 2) }
      let arguments = Array(operands.dropFirst(2))
      return (OperandTree.Kind.call(operands[0], selector: operands[1], arguments), height)
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Reads the comma after some of a form's arguments.
  private func takeComma(after found: Int, of count: Int) throws(PredicateSyntaxError) {
    guard cursor.take(byte: UInt8(ascii: ",")) else {
      throw missingComma(after: found, of: count)
    }
  }

  /// Returns the error for a missing comma.
  ///
  /// If the form is closed, it has too few arguments.
  private func missingComma(after found: Int, of count: Int) -> PredicateSyntaxError {
    let next = cursor.peek()
    guard next.kind == .byte(UInt8(ascii: ")")) else {
      return cursor.unexpected(next, expected: .symbol(","))
    }
    let name = cursor.text(word.range)
    return PredicateSyntaxError(
      .wrongArgumentCount(function: name, expected: count, found: found), range: word.range)
  }
}
