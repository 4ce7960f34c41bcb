package import ScriptSyntax

/// The places in a script that can be left out or made simpler.
struct ScriptEdits {
  struct Replacement {
    let range: Range<Int>
    let text: String

    init(_ range: Range<Int>, _ text: String) {
      self.range = range
      self.text = text
    }
  }

  let script: ParsedScript
  /// For the start of each statement, where its expected output ends.
  private let endsOfExpectedOutput: [Int: Int]

  /// - Complexity: O(*n*) in the statements.
  init(_ script: ParsedScript) {
    self.script = script
    var ends: [Int: Int] = [:]
    for group in script.groups where group.statements.count == 1 {
      if let last = group.expected.last { ends[group.expectedOffset] = last.range.upperBound }
    }
    endsOfExpectedOutput = ends
  }

  /// Returns the text without its comments, except for expected output.
  static func withoutComments(_ script: ParsedScript) -> SourceText {
    let expected = Set(script.groups.flatMap(\.expected).map(\.line))
    let comments = script.comments.filter {
      !expected.contains(script.source.line(of: $0.lowerBound))
    }
    return script.source.replacing(comments.map { Replacement($0, "") })
  }

  /// Returns the script without its empty lines.
  static func withoutEmptyLines(_ script: ParsedScript) -> SourceText {
    let lines = script.source.bytes.split(separator: UInt8(ascii: "\n"))
      .filter { line in !line.allSatisfy { $0 <= 0x20 } }
    return SourceText(
      name: script.source.name, bytes: lines.flatMap { $0 + [UInt8(ascii: "\n")] })
  }

  // MARK: Statements

  /// Returns the statements inside the given number of blocks, with the lines that only they use.
  func statements(_ level: Int) -> [Range<Int>] {
    var statements = script.statements
    for _ in 0..<level { statements = statements.flatMap(\.inner) }
    return statements.map { withLine($0.range) }
  }

  /// Returns the number of nested blocks in the script; the outermost counts as one.
  static func deepestLevel(_ script: ParsedScript) -> Int {
    var level = 0
    var statements = script.statements
    while !statements.isEmpty {
      level += 1
      statements = statements.flatMap(\.inner)
    }
    return level
  }

  /// Edits that replace blocks by their statements, and `try` by its statement.
  var unwrappings: [[Replacement]] {
    script.statements.flatMap(\.withInner).compactMap { statement in
      guard let first = statement.inner.first, let last = statement.inner.last else { return nil }
      let text = script.source.text(in: first.range.lowerBound..<last.range.upperBound)
      return [Replacement(statement.range, text)]
    }
  }

  /// Returns a range with its line end and its expected output, if nothing else is on its lines.
  func withLine(_ range: Range<Int>) -> Range<Int> {
    let bytes = script.source.bytes
    let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ";") }
    var start = range.lowerBound
    while start > 0, blank(bytes[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, blank(bytes[end]) { end += 1 }
    let startsLine = start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
    guard startsLine, end < bytes.count, bytes[end] == UInt8(ascii: "\n") else {
      return startsLine ? start..<end : range.lowerBound..<end
    }
    end += 1
    return start..<(endsOfExpectedOutput[end] ?? end)
  }

  // MARK: Parts of statements

  /// Properties, values, clauses and sort keys, each with a comma next to it.
  var parts: [Range<Int>] {
    script.statements.flatMap(\.withInner).flatMap { statement in
      statement.traits.parts.flatMap { pieces(of: $0, in: statement.range) }
    }
  }

  /// Returns what can be left out of a part of a statement.
  private func pieces(of part: StatementPart, in range: Range<Int>) -> [Range<Int>] {
    switch part {
    case .definition(.entity(let entity)): lines(of: entity.properties.map(\.name.range), in: range)
    case .insert(let insert): list(insert.values.map(\.range))
    case .update(let request, let values): clauses(of: request) + list(values.map(\.range))
    case .request(let request), .definition(.request(_, let request)),
      .definition(.controller(_, let request)):
      clauses(of: request)
    case .callback(let callback, of: _): [callback.range]
    case .hook(let hook, of: _): [hook.range]
    case .value, .target, .name, .clauses, .predicate, .definition, .file, .block, .scope, .attempt:
      []
    }
  }

  /// Returns elements with the comma after them; the last one with the comma before it.
  private func list(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.indices.map { index in
      if index + 1 < ranges.count { return ranges[index].lowerBound..<ranges[index + 1].lowerBound }
      let start = index > 0 ? ranges[index - 1].upperBound : ranges[index].lowerBound
      return start..<ranges[index].upperBound
    }
  }

  /// Returns the ranges from each name to the next one, or to the closing brace.
  private func lines(of names: [Range<Int>], in range: Range<Int>) -> [Range<Int>] {
    guard let last = names.last else { return [] }
    let bytes = script.source.bytes
    // The last element includes the comma before it.
    var start = last.lowerBound
    while start > 0, [0x20, UInt8(ascii: ",")].contains(bytes[start - 1]) { start -= 1 }
    return zip(names, names.dropFirst()).map { $0.lowerBound..<$1.lowerBound }
      + [start..<range.upperBound - 1]
  }

  /// Returns each clause with its word, and each sort key.
  private func clauses(of request: RequestSyntax) -> [Range<Int>] {
    let clauses = request.clauses
    var bodies: [Range<Int>] = []
    if let predicate = clauses.predicate { bodies.append(predicate.range) }
    if let sort = clauses.sort, let first = sort.first {
      bodies.append(first.keyPath.range)
    }
    if let section = clauses.section { bodies.append(section.range) }
    bodies += [clauses.fetchedValues?.first?.keyPath, clauses.groups?.first].compactMap {
      $0?.range
    }
    if let having = clauses.having { bodies.append(having.range) }
    bodies += [clauses.limit, clauses.offset, clauses.batch, clauses.cache].compactMap { $0?.range }
    if let path = clauses.prefetch?.first { bodies.append(path.range) }
    bodies += clauses.options.map(\.range) + clauses.controllerOptions.map(\.range)
    bodies.sort { $0.lowerBound < $1.lowerBound }
    // A clause begins after the one before it.
    var start = request.source.range.upperBound
    var found: [Range<Int>] = []
    for (index, body) in bodies.enumerated() {
      let isLast = index + 1 == bodies.count
      let end =
        isLast
        ? request.range.upperBound : startOfWord(before: bodies[index + 1], after: body.lowerBound)
      found.append(start..<max(start, end))
      start = max(start, end)
      if let sort = clauses.sort, sort.first?.keyPath.range == body {
        found += list(sort.map(\.keyPath.range)).dropLast(sort.count == 1 ? 1 : 0)
      }
    }
    return found
  }

  /// Returns where the word of a clause begins, given the clause's body.
  private func startOfWord(before body: Range<Int>, after start: Int) -> Int {
    let words =
      [
        "sort by", "section by", "where", "limit", "offset", "batch", "cache", "prefetch", "keep",
        "track",
      ] + FetchOption.allCases.map(\.rawValue)
    let before = script.source.text(in: start..<body.lowerBound)
    let trimmed = before.reversed().drop(while: \.isWhitespace).reversed()
    let text = String(trimmed)
    let word = words.first { text.hasSuffix($0) } ?? ""
    return start + text.utf8.count - word.utf8.count
  }

  // MARK: Values

  /// Edits that make literals simpler: short strings and small numbers.
  var simplifications: [[Replacement]] {
    script.literals.flatMap { range -> [[Replacement]] in
      let text = script.source.text(in: range)
      return ["0", "1", "\"\"", "\"a\"", "nil"].filter { $0.utf8.count <= text.utf8.count }
        .map { [Replacement(range, $0)] }
    }
  }
}

extension AttributeAssignment {
  fileprivate var range: Range<Int> { attribute.range.lowerBound..<value.range.upperBound }
}

extension Statement {
  /// The statement itself and all statements in it.
  var withInner: [Statement] { [self] + inner.flatMap(\.withInner) }
}

extension ParsedScript {
  /// The number of statements, including those inside others.
  package var statementCount: Int { statements.flatMap(\.withInner).count }
}
