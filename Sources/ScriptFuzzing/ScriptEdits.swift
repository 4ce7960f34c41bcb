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

  /// For the start of each line below a directive, where the directive begins.
  private let startsOfDirectives: [Int: Int]

  /// - Complexity: O(*n*) in the statements.
  init(_ script: ParsedScript) {
    self.script = script
    let starts = script.source.lineStarts
    let directives = script.directives.filter { $0.line < starts.count }
    let lines = directives.map { (starts[$0.line], starts[$0.line - 1]) }
    startsOfDirectives = Dictionary(lines) { first, _ in first }
    var ends: [Int: Int] = [:]
    for group in script.groups where group.statements.count == 1 {
      if let last = group.expected.last { ends[group.expectedOffset] = last.range.upperBound }
    }
    endsOfExpectedOutput = ends
  }

  /// Returns the text without its comments, except for expected output and maybe directives.
  static func withoutComments(
    _ script: ParsedScript, keepsDirectives: Bool = false
  ) -> SourceText {
    var kept = Set(script.groups.flatMap(\.expected).map(\.line))
    if keepsDirectives { kept.formUnion(script.directives.map(\.line)) }
    let comments = script.comments.filter { !kept.contains(script.source.line(of: $0.lowerBound)) }
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

  /// Returns a range with its line end, its expected output and the directives above it, if nothing
  /// else is on its lines.
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
    while let above = startsOfDirectives[start] { start = above }
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
      .definition(.controller(_, let request)),
      .definition(.observer(_, .results(let request))):
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

extension ScriptEdits {
  /// An object that a script names, as in `Book/3`.
  private struct NamedObject {
    let range: Range<Int>
    let entity: String
    /// The root entity, which numbers the objects of all its subentities.
    let root: String
    let number: Int

    /// Returns an edit that lowers the object's number by this count.
    func countedDown(by count: Int) -> Replacement {
      Replacement(range, "\(entity)/\(number - count)")
    }
  }

  /// Edits that remove inserts and count down the numbers of later objects, and edits that replace
  /// single objects by earlier ones.
  var renumberings: [[Replacement]] {
    let objects = namedObjects
    return withoutInserts(objects)
      + objects.filter { $0.number > 1 }.flatMap { object in
        [[object.countedDown(by: object.number - 1)], [object.countedDown(by: 1)]]
      }
  }

  private func withoutInserts(_ objects: [NamedObject]) -> [[Replacement]] {
    let roots = roots
    return script.statements.flatMap(\.withInner).flatMap { statement -> [[Replacement]] in
      guard case .insert(let insert) = statement.kind, insert.count == nil else { return [] }
      let root = roots[insert.entity.text] ?? insert.entity.text
      let numbered = objects.filter { $0.root == root }
      // The number that the object gets is known only when the script runs.
      return Set(numbered.map(\.number)).sorted().map { first in
        let edits =
          numbered.filter { $0.number >= first }.map { $0.countedDown(by: 1) }
          + [Replacement(withLine(statement.range), "")]
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
      }
    }
  }

  private var namedObjects: [NamedObject] {
    let roots = roots
    return script.objects.map { range in
      let parts = script.source.text(in: range).split(separator: "/").map(String.init)
      return NamedObject(
        range: range, entity: parts[0], root: roots[parts[0]] ?? parts[0],
        number: Int(parts[1]) ?? 0)
    }
  }

  private var roots: [String: String] {
    var roots: [String: String] = [:]
    for case .entity(let entity) in script.statements.map(\.kind) {
      roots[entity.name.text] = entity.parent.map { roots[$0.text] ?? $0.text } ?? entity.name.text
    }
    return roots
  }
}

/// Makes a failing script as short as possible while it still fails in the same way.
///
/// This is delta debugging. It leaves out ever smaller runs of statements, and then of the
/// statements inside blocks. Next it replaces blocks by their contents, and removes inserts,
/// counting down the numbers after them. Then it removes parts of statements, and at last it makes
/// values simpler. All this is repeated until nothing more can go.
///
/// It accepts a text only if it is shorter, or equally long and first in order of bytes, so it
/// always ends. The same script always gives the same result.
package struct Reducer {
  private let failure: TrialFailure.Kind
  private let test: (ParsedScript) -> TrialFailure?
  /// The shortest script so far.
  private var script: ParsedScript
  /// The number of scripts that were tried.
  package private(set) var trials = 0

  /// Returns the shortest script found, or nil if the script does not fail.
  ///
  /// - Parameter test: Returns how a script fails.
  package static func reduce(
    _ script: ParsedScript, test: @escaping (ParsedScript) -> TrialFailure?
  ) -> (script: ParsedScript, failure: TrialFailure)? {
    guard let failure = test(script) else { return nil }
    var reducer = Reducer(failure: failure.kind, test: test, script: script)
    reducer.reduce()
    // If the reduction was stopped in the meantime, no test fails as before.
    let last = test(reducer.script)
    return (reducer.script, last?.kind == failure.kind ? last ?? failure : failure)
  }

  private mutating func reduce() {
    if !accept(ScriptEdits.withoutComments(script)) {
      _ = accept(ScriptEdits.withoutComments(script, keepsDirectives: true))
    }
    var before: [UInt8] = []
    while script.source.bytes != before {
      before = script.source.bytes
      for level in 0..<ScriptEdits.deepestLevel(script) { leaveOut { $0.statements(level) } }
      tryEach(\.unwrappings)
      tryEach(\.renumberings)
      leaveOut(\.parts)
      tryEach(\.simplifications)
    }
    _ = accept(ScriptEdits.withoutComments(script))
    _ = accept(ScriptEdits.withoutEmptyLines(script))
    let formatted = ScriptFormatter.format(script)
    _ = accept(SourceText(name: script.source.name, bytes: formatted), always: true)
  }

  /// Tries to leave out ever smaller runs of some pieces of the script.
  private mutating func leaveOut(_ pieces: (ScriptEdits) -> [Range<Int>]) {
    var count = pieces(ScriptEdits(script)).count
    while count > 0 {
      var start = 0
      while true {
        let ranges = pieces(ScriptEdits(script))
        guard start < ranges.count else { break }
        let run = ranges[start..<min(start + count, ranges.count)]
          .map { ScriptEdits.Replacement($0, "") }
        if !accept(script.source.replacing(run)) { start += count }
      }
      count /= 2
    }
  }

  /// Tries edits one by one, from the first one on.
  private mutating func tryEach(_ edits: (ScriptEdits) -> [[ScriptEdits.Replacement]]) {
    var index = 0
    while true {
      let all = edits(ScriptEdits(script))
      guard index < all.count else { return }
      if !accept(script.source.replacing(all[index])) { index += 1 }
    }
  }

  /// Replaces the script by a text, if the text is smaller and fails in the same way.
  private mutating func accept(_ source: SourceText, always: Bool = false) -> Bool {
    let (bytes, shortest) = (source.bytes, script.source.bytes)
    guard
      always || bytes.count < shortest.count
        || bytes.count == shortest.count && bytes.lexicographicallyPrecedes(shortest)
    else { return false }
    let candidate = ScriptParser.parse(source)
    guard !candidate.hasErrors else { return false }
    trials += 1
    guard test(candidate)?.kind == failure else { return false }
    script = candidate
    return true
  }
}

extension SourceText {
  /// Returns the text after replacing some ranges, which ascend and do not overlap.
  func replacing(_ edits: [ScriptEdits.Replacement]) -> SourceText {
    var bytes: [UInt8] = []
    var copied = 0
    for edit in edits where edit.range.lowerBound >= copied {
      bytes += self.bytes[copied..<edit.range.lowerBound] + Array(edit.text.utf8)
      copied = edit.range.upperBound
    }
    return SourceText(name: name, bytes: bytes + self.bytes[copied...])
  }
}
