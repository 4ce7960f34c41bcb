extension ParsedScript {
  init(
    source: SourceText, statements: [Statement], diagnostics: [Diagnostic], marks: SourceMarks
  ) {
    self.source = source
    self.statements = statements
    self.diagnostics = diagnostics
    self.marks = marks
    directives = []
    strayExpectations = []
    groups = []

    var expected: [Int: ExpectedLine] = [:]
    for line in 1...source.lineCount {
      readComment(line, into: &expected)
    }
    group()
    for index in groups.indices {
      var line = groups[index].lines.upperBound + 1
      while let next = expected.removeValue(forKey: line) {
        groups[index].expected.append(next)
        line += 1
      }
    }
    strayExpectations = expected.values.sorted { $0.line < $1.line }
  }

  /// Records a line that begins with `#>`, `#?` or `#@`.
  private mutating func readComment(_ line: Int, into expected: inout [Int: ExpectedLine]) {
    let range = source.range(ofLine: line)
    guard range.count >= 2, source.bytes[range.lowerBound] == Byte.hash else { return }
    var start = range.lowerBound + 2
    let mark = source.bytes[range.lowerBound + 1]
    switch mark {
    case UInt8(ascii: ">"), UInt8(ascii: "?"):
      if start < range.upperBound, source.bytes[start] == UInt8(ascii: " ") { start += 1 }
      expected[line] = ExpectedLine(
        text: source.text(in: start..<range.upperBound),
        isPrediction: mark == UInt8(ascii: "?"), line: line,
        range: source.rangeWithEnd(ofLine: line))
    case Byte.at:
      var end = range.upperBound
      while start < end, source.bytes[start] <= 0x20 { start += 1 }
      while end > start, source.bytes[end - 1] <= 0x20 { end -= 1 }
      directives.append(
        Directive(text: source.text(in: start..<end), line: line, range: range))
    default: break
    }
  }

  private mutating func group() {
    for (index, statement) in statements.enumerated() {
      let first = source.line(of: statement.range.lowerBound)
      let last = source.line(of: max(statement.range.lowerBound, statement.range.upperBound - 1))
      let expectedOffset = source.rangeWithEnd(ofLine: last).upperBound
      if let group = groups.last, group.lines.upperBound >= first {
        groups[groups.count - 1].statements = group.statements.lowerBound..<index + 1
        groups[groups.count - 1].lines = group.lines.lowerBound...max(last, first)
        groups[groups.count - 1].expectedOffset = expectedOffset
      } else {
        groups.append(
          StatementGroup(
            statements: index..<index + 1, lines: first...last, expected: [],
            expectedOffset: expectedOffset))
      }
    }
  }
}
