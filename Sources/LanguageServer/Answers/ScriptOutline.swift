import ScriptSyntax

/// The structure of a script: what can be folded, what it defines, and what encloses a place.
struct ScriptOutline {
  let script: ParsedScript
  /// Where the script begins in the text.
  let start: Int
  let text: DocumentText

  /// Returns the place of a range of the script.
  private func place(_ range: Range<Int>) -> TextRange {
    text.range(of: (range.lowerBound + start)..<(range.upperBound + start))
  }

  /// A statement with its output, and each block within a statement.
  var folds: [FoldingRange] {
    var folds: Set<FoldingRange> = []
    for group in script.groups {
      let start = group.lines.lowerBound
      add(start, group.expected.last?.line ?? group.lines.upperBound, to: &folds)
      for statement in script.statements[group.statements] { addBlocks(of: statement, to: &folds) }
    }
    return folds.sorted { ($0.startLine, $1.endLine) < ($1.startLine, $0.endLine) }
  }

  private func addBlocks(of statement: Statement, to folds: inout Set<FoldingRange>) {
    for inner in statement.inner {
      add(line(of: inner.range.lowerBound), line(of: inner.range.upperBound - 1), to: &folds)
      addBlocks(of: inner, to: &folds)
    }
  }

  /// Adds a fold from one line to another, both counted from 1 as in the script.
  private func add(_ first: Int, _ last: Int, to folds: inout Set<FoldingRange>) {
    guard last > first else { return }
    let place = place(
      script.source.range(ofLine: first).lowerBound..<script.source.range(ofLine: last).lowerBound)
    folds.insert(
      FoldingRange(startLine: place.start.line, endLine: place.end.line, kind: "region"))
  }

  private func line(of offset: Int) -> Int { script.source.line(of: max(0, offset)) }

  // MARK: Symbols

  /// The names that the script defines, with the properties of its entities.
  var symbols: [DocumentSymbol] { script.statements.flatMap(symbols) }

  private func symbols(of statement: Statement) -> [DocumentSymbol] {
    statement.traits.definitions.compactMap { symbol(of: $0, in: statement.range) }
      + statement.inner.flatMap(symbols)
  }

  private func symbol(
    of definition: StatementPart.Definition, in range: Range<Int>
  ) -> DocumentSymbol? {
    guard let name = definition.name else { return nil }
    var symbol = DocumentSymbol(
      name: name.text, detail: definition.kind, kind: definition.symbolKind,
      range: place(range), selectionRange: place(name.range))
    if case .entity(let entity) = definition {
      symbol.children = entity.properties.map { property in
        DocumentSymbol(
          name: property.name.text, detail: property.type.text, kind: 8,
          range: place(property.name.range), selectionRange: place(property.name.range))
      }
    }
    return symbol
  }

  // MARK: Selection

  /// Returns what encloses an offset of the text, the smallest range first.
  func selections(at place: Int) -> [TextRange] {
    let offset = place - start
    var ranges: [Range<Int>] = [-start..<(text.bytes.count - start)]
    if let group = script.groups.first(where: { group in
      let end = group.expected.last?.range.upperBound ?? group.expectedOffset
      return (start(of: group)..<max(end, start(of: group) + 1)).contains(offset)
    }) {
      ranges.append(start(of: group)..<(group.expected.last?.range.upperBound ?? end(of: group)))
      ranges.append(start(of: group)..<end(of: group))
    }
    var statements = script.statements
    while let inner = statements.first(where: {
      $0.range.contains(offset) || $0.range.upperBound == offset
    }) {
      ranges.append(inner.range)
      ranges += brackets(around: offset, in: inner.range)
      statements = inner.inner
    }
    let whole = script.source.text(in: 0..<script.source.bytes.count)
    if let part = TextParts(whole, as: .file).parts.first(where: {
      $0.range.contains(offset) || $0.range.upperBound == offset
    }) {
      ranges.append(part.range)
    }
    // Each range must contain the next one.
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.count < $1.count }) {
      let isLarger = result.last.map {
        $0 != range && range.lowerBound <= $0.lowerBound && range.upperBound >= $0.upperBound
      }
      if isLarger ?? (range.lowerBound <= offset && offset <= range.upperBound) {
        result.append(range)
      }
    }
    return result.map { self.place($0) }
  }

  private func start(of group: StatementGroup) -> Int {
    script.statements[group.statements].first?.range.lowerBound ?? 0
  }

  private func end(of group: StatementGroup) -> Int {
    script.statements[group.statements].last?.range.upperBound ?? 0
  }

  /// Returns the insides of the brackets around an offset.
  private func brackets(around offset: Int, in range: Range<Int>) -> [Range<Int>] {
    let text = script.source.text(in: range)
    var open: [Int] = []
    var found: [Range<Int>] = []
    for part in TextParts(text).parts {
      guard case .bracket = part.role else { continue }
      let place = range.lowerBound + part.range.lowerBound
      let isOpening = [UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{")].contains(
        script.source.bytes[place])
      if isOpening {
        open.append(place)
      } else if let start = open.popLast(), start < offset, offset <= place {
        found += [(start + 1)..<place, start..<(place + 1)]
      }
    }
    return found
  }
}

extension StatementPart.Definition {
  /// The kind of thing that is defined, in a word.
  fileprivate var kind: String {
    switch self {
    case .entity: "entity"
    case .model: "model"
    case .context: "context"
    case .variable: "variable"
    case .request, .storedRequest: "request"
    case .controller: "controller"
    case .observer: "observer"
    case .table: "table"
    }
  }

  /// The protocol's number for the kind.
  fileprivate var symbolKind: Int {
    switch self {
    case .entity: 5
    case .model: 2
    case .context: 3
    case .variable: 13
    case .request, .storedRequest: 12
    case .controller, .observer, .table: 19
    }
  }
}
