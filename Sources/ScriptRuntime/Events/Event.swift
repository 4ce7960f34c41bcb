package import FetchedResults
package import ScriptSyntax
package import TableViews

/// A visible effect of a script's statements: one callback, one printed value, or one listing.
package enum Event {
  /// What a controller's delegate received.
  case callback(ControllerCallback)
  /// An observer of the history has counted transactions.
  case eventCounter(observer: String, Int)
  /// A hook of an entity ran; the text is its name.
  case hook(String, object: ObjectID)
  /// A notification of a context, after `observe`.
  case notification(ShownNotification)
  /// `show books`; `gone` is what the last turn removed if no section is left.
  case show(controller: String, sections: [ShownSection], gone: [SectionMarks.Gone])
  /// An operation of a table; the object is the one that a cell is configured with.
  case table(String, TableOperation, object: ShownObject?)
  /// A call of a traced table to its data source, with the answer.
  case dataSource(table: String, DataSourceCall<CellContent>)
  /// An exception that a table raised in its controller's delegate.
  case exception(table: String, TableViewException)
  /// `show view`.
  case showTable(ShownTable)
  /// `show books.request`, with the store's SQL query; nil if it uses no SQL.
  case request(controller: String, text: String, query: StoreQuery?)
  /// One `print` or `count`.
  case value(PrintedValue)
  /// An ad-hoc fetch, or `objects Book`.
  case list(ShownList)
  /// The effect of a batch request on the store.
  case batch(BatchResult)
  /// `evaluate … on …`.
  case evaluation(ShownEvaluation)
  /// The statement whose turn the next explanations are about.
  case explainedTurn(String)
  /// One entry of `explain`.
  indirect case explanation(Explanation)
  /// `swift books`: code, with the name of what it sets up.
  case swift(name: String, text: String)
  /// One line of `caches`.
  case cache(ShownCache)
  /// `stats`.
  case statistics(ShownStatistics)
  /// `history`: transactions of the store, oldest first.
  case history([PersistentHistoryTransaction])
  /// Another process has saved to the store's file; the number is that of the last transaction, if
  /// the store keeps a history.
  case remoteChange(transaction: Int64?)
  /// A statement of the store, after `set sql on`.
  case statement(ShownStatement)
  /// `show model`; the requests of the model are as a script writes them.
  case model(entities: [EntityDescription], hooks: [String: [HookText]], requests: [String])
  /// A note that is not an error, such as a part of a model that scripts cannot use.
  case note(String)
  /// Text that Core Data would print on the console.
  case console(String)
  /// An error that `try` caught or that ended the script. If a file cannot be read, there is no
  /// line.
  case error(message: String, file: String, line: Int?, column: Int?)
}

extension Event {
  /// Returns the event of an error that was not caught.
  package static func error(_ diagnostic: Diagnostic, in source: SourceText) -> Event {
    let position = source.position(of: diagnostic.range.lowerBound)
    return .error(
      message: diagnostic.message, file: source.name, line: position.line,
      column: position.column)
  }

  /// What a controller's delegate received; nil for another event.
  package var callback: ControllerCallback? {
    if case .callback(let callback) = self { callback } else { nil }
  }

  /// Whether the event is a callback to a controller's delegate.
  package var isCallback: Bool { callback != nil }
}

/// An object with the text that it is shown as.
package struct ShownObject: Hashable, Sendable {
  package let id: ObjectID
  /// The value of the display attribute; nil if the entity has none.
  package let display: PropertyValue?
}

/// A section as `show` lists it.
package struct ShownSection {
  package let name: String
  package let indexTitle: String
  package let objects: ShownObjects
  /// The marks of the last turn; empty if they are not needed.
  package var marks = SectionMarks()
}

/// What a fetch or `objects` lists, one element a line.
package struct ShownList {
  package let entity: String
  package let elements: Elements

  package enum Elements {
    /// Fetched objects.
    case rows([ShownRow])
    /// The objects of a context.
    case objects([ShownState])
    case objectIDs([ObjectID])
    case dictionaries([FetchedDictionary])
  }

  package init(of entity: String, _ elements: Elements) {
    self.entity = entity
    self.elements = elements
  }

  package var count: Int {
    switch elements {
    case .rows(let rows): rows.count
    case .objects(let objects): objects.count
    case .objectIDs(let ids): ids.count
    case .dictionaries(let rows): rows.count
    }
  }

  package func part(_ range: Range<Int>) -> ShownList {
    let part: Elements =
      switch elements {
      case .rows(let rows): .rows(Array(rows[range]))
      case .objects(let objects): .objects(Array(objects[range]))
      case .objectIDs(let ids): .objectIDs(Array(ids[range]))
      case .dictionaries(let rows): .dictionaries(Array(rows[range]))
      }
    return ShownList(of: entity, part)
  }
}

/// An object with all its values.
package struct ShownRow {
  package let id: ObjectID
  package let values: [(name: String, value: PropertyValue)]
}

/// An object with its state in the context.
package struct ShownState {
  package let object: ShownObject
  /// The state: `inserted`, `updated`, `deleted`, `saved`, or `fault` if the values have not been
  /// read.
  package let state: String
}

/// A section cache as `caches` lists it.
package struct ShownCache {
  package let name: String
  /// The contents; nil if unknown.
  package let contents: Contents?
  /// The reason why the cache will not be used; nil if it will.
  package let staleness: String?

  /// The contents of a cache.
  package struct Contents {
    package let entity: String
    package let objects: Int
    package let sections: Int
  }
}

extension Event {
  /// The number of elements in a piece of a long list.
  private static var pieceLength: Int { 256 }

  /// The list that the event shows; nil if it shows none.
  package var list: ShownList? { if case .list(let list) = self { list } else { nil } }

  /// The number of elements in the event's list, each of which is one line of text; nil if the
  /// event has no list.
  package var listCount: Int? { list?.count }

  /// Returns a part of the event's list; the event itself if it has no list.
  package func part(_ range: Range<Int>) -> Event { list.map { .list($0.part(range)) } ?? self }

  /// The number of parts with at most 256 elements each; 1 if the event has no list.
  package var partCount: Int {
    max(1, ((listCount ?? 0) + Self.pieceLength - 1) / Self.pieceLength)
  }

  /// Returns one of the parts.
  package func part(number: Int) -> Event {
    guard let listCount, listCount > Self.pieceLength else { return self }
    let start = number * Self.pieceLength
    return part(start..<Swift.min(listCount, start + Self.pieceLength))
  }

  /// The event's lines of text in pieces.
  ///
  /// They are made one by one, so that a reader who needs only the first ones makes no more.
  package var textPieces: some Sequence<[String]> {
    var start = 0
    let marked: MarkedLines? =
      if case .show(_, let sections, _) = self, !sections.isEmpty {
        MarkedLines(sections.unmarked)
      } else { nil }
    let count = max(1, marked?.count ?? listCount ?? 1)
    let isList = marked != nil || count > Self.pieceLength
    return AnyIterator {
      guard start < count else { return nil }
      let range = start..<min(count, start + Self.pieceLength)
      defer { start = isList ? range.upperBound : count }
      if let marked { return marked.lines(range).map(\.text) }
      return (isList ? part(range) : self).lines
    }
  }
}

extension [ShownSection] {
  /// The sections without the marks of the last turn, which scripts do not print.
  fileprivate var unmarked: [ShownSection] {
    map { ShownSection(name: $0.name, indexTitle: $0.indexTitle, objects: $0.objects) }
  }
}

extension Event {
  /// The lines of text that scripts print, each without its line end.
  ///
  /// They have no colours or other escape sequences.
  package var lines: [String] { form.lines }

  /// The event as one JSON object.
  ///
  /// Core Data's console text has none: it is not an event, and goes to standard error.
  package var jsonLines: [String] {
    if case .console = self { [] } else { [form.json.description] }
  }

  /// Calls `body` with the event's lines of text, many at once: as UTF-8, each with its line end.
  ///
  /// So the lines of a list with a million rows are never in memory together.
  ///
  /// - Parameter line: Called instead with a line, without its end, that may have line feeds inside.
  package func forEachPart(line: (String) -> Void, _ body: ([UInt8]) -> Void) {
    guard case .show(_, let sections, _) = self, !sections.isEmpty else {
      return lines.forEach(line)
    }
    var lines = RowLines(capacity: Self.partLength + 1024)
    for (index, section) in sections.enumerated() {
      lines.append(line: section.head(at: index))
      let start = Array(ShownSection.start(ofRowsIn: index).utf8)
      var row = 0
      section.objects.forEachObject { object in
        lines.append(object, row: row, after: start)
        row += 1
        if lines.bytes.count > Self.partLength {
          body(lines.bytes)
          lines.removeAll()
        }
      }
    }
    body(lines.bytes)
  }

  /// How many bytes of lines are given at once, about.
  private static var partLength: Int { 1 << 14 }
}

extension ShownSection {
  /// The section's head and rows.
  ///
  /// - Parameter index: The section's index in the results.
  func lines(at index: Int) -> [String] {
    let start = Self.start(ofRowsIn: index)
    return [head(at: index)]
      + objects.enumerated().map { row, object in "\(start)\(row)] \(object)" }
  }

  /// The beginning of the line of each row: that of an index path's description.
  fileprivate static func start(ofRowsIn section: Int) -> String { "  [\(section), " }

  fileprivate func head(at index: Int) -> String {
    let count = objects.count
    return "section \(index) \(name.quoted) \(count) " + (count == 1 ? "object" : "objects")
  }

  fileprivate func line(ofRow row: Int, at index: Int) -> String {
    "  \(ResultsIndexPath(section: index, row: row)) \(objects[row])"
  }
}

extension ShownObject: CustomStringConvertible {
  /// `Book/2 "Emma"`.
  package var description: String {
    guard let display else { return id.description }
    return "\(id) " + (display.isNull ? "nil" : display.description.quoted)
  }
}

extension ShownRow: CustomStringConvertible {
  /// `Book/2 title: "Emma", pages: 474`.
  package var description: String {
    let values = values.map { "\($0.name): \($0.value.quotedDescription)" }
    return "\(id) " + values.joined(separator: ", ")
  }
}

extension ShownCache: CustomStringConvertible {
  /// `"Demo" Book, 14 objects in 4 sections, valid`.
  package var description: String {
    let state = staleness.map { "not valid: \($0)" } ?? "valid"
    guard let contents else { return "\(name.quoted) \(state)" }
    return "\(name.quoted) \(contents), \(state)"
  }
}

extension ShownCache {
  var fields: [(String, JSON?)] {
    [
      ("name", .string(name)), ("entity", contents.map { .string($0.entity) }),
      ("objects", contents.map { .number(String($0.objects)) }),
      ("sections", contents.map { .number(String($0.sections)) }),
      ("valid", .boolean(staleness == nil)), ("reason", staleness.map(JSON.string)),
    ]
  }
}

extension ShownCache.Contents: CustomStringConvertible {
  /// `Book, 14 objects in 4 sections`.
  package var description: String {
    let rows = "\(objects) \(objects == 1 ? "object" : "objects")"
    let runs = "\(sections) \(sections == 1 ? "section" : "sections")"
    return "\(entity), \(rows) in \(runs)"
  }
}

extension String {
  /// The lines of a text; an empty text has one empty line.
  ///
  /// A carriage return before a line feed belongs to the text, and is kept.
  package var linesOfText: [String] {
    unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}

/// The marks that show on a terminal what the last turn did to a section.
///
/// A script's output does not contain them.
package struct SectionMarks {
  package var isInserted = false
  /// The marks by row.
  package var rows: [Int: TableRowMark] = [:]
  /// The rows that changed without a change of the controller.
  package var stale: Set<Int> = []
  /// The rows and sections that were removed.
  package var gone: [Gone] = []

  /// A removed row or section, as it was listed.
  package struct Gone {
    package let text: String
    /// The index of the row before which it would be; nil if it was before the section itself.
    package let nextRow: Int?
  }
}

/// A line of `show books` with its mark.
package struct MarkedLine {
  package let text: String
  package let mark: TableRowMark?
  package private(set) var isStale = false
}

/// The lines of `show books` with marks of the last turn, which replace the blanks before a row.
///
/// Each line is made when it is needed.
package struct MarkedLines {
  private let sections: [ShownSection]
  /// The number of the line where each section begins, and at the end the number of all lines.
  private let starts: [Int]
  /// The lines if there are no sections.
  private let withoutSections: [MarkedLine]

  static let noSections = "no sections"

  /// - Parameter gone: What was removed if no section is left.
  package init(_ sections: [ShownSection], gone: [SectionMarks.Gone] = []) {
    self.sections = sections
    withoutSections =
      gone.map { MarkedLine(text: $0.text, mark: .deleted) }
      + [MarkedLine(text: Self.noSections, mark: nil)]
    starts = sections.reduce(into: [0]) { starts, section in
      starts.append(starts[starts.count - 1] + 1 + section.objects.count + section.marks.gone.count)
    }
  }

  /// How many lines there are.
  package var count: Int {
    sections.isEmpty ? withoutSections.count : starts[starts.count - 1]
  }

  /// All lines.
  package var all: [MarkedLine] { lines(0..<count) }

  /// Returns some of the lines.
  ///
  /// - Complexity: O(*n*) in the number of lines returned, and in the lines of sections that lost
  ///   rows.
  package func lines(_ range: Range<Int>) -> [MarkedLine] {
    if sections.isEmpty {
      return Array(withoutSections[range.clamped(to: withoutSections.indices)])
    }
    return sections.indices.flatMap { index -> [MarkedLine] in
      let wanted = range.clamped(to: starts[index]..<starts[index + 1])
      guard !wanted.isEmpty else { return [] }
      let local = (wanted.lowerBound - starts[index])..<(wanted.upperBound - starts[index])
      let section = sections[index]
      guard section.marks.gone.isEmpty else {
        return Array(whole(section, at: index)[local])
      }
      return local.map { $0 == 0 ? head(section, at: index) : row($0 - 1, of: section, at: index) }
    }
  }

  private func head(_ section: ShownSection, at index: Int) -> MarkedLine {
    let text = section.head(at: index)
    let mark: TableRowMark? = section.marks.isInserted ? .inserted : nil
    return MarkedLine(text: mark.map { "\($0.symbol) \(text)" } ?? text, mark: mark)
  }

  private func row(_ row: Int, of section: ShownSection, at index: Int) -> MarkedLine {
    let marks = section.marks
    let text = section.line(ofRow: row, at: index)
    let isStale = marks.stale.contains(row)
    let symbol = isStale ? "!" : marks.rows[row]?.symbol ?? " "
    return MarkedLine(text: symbol + text.dropFirst(), mark: marks.rows[row], isStale: isStale)
  }

  /// Returns a section with its removed rows.
  private func whole(_ section: ShownSection, at index: Int) -> [MarkedLine] {
    func lines(_ gone: [SectionMarks.Gone]?) -> [MarkedLine] {
      (gone ?? []).map { MarkedLine(text: $0.text, mark: .deleted) }
    }
    let gone = Dictionary(grouping: section.marks.gone, by: \.nextRow)
    var result = lines(gone[nil]) + [head(section, at: index)]
    for number in section.objects.indices {
      result += lines(gone[number])
      result.append(row(number, of: section, at: index))
    }
    let count = section.objects.count
    return result + lines(section.marks.gone.filter { $0.nextRow.map { $0 >= count } ?? false })
  }
}

/// A value as `print` shows it, and as the event stream contains it.
package struct PrintedValue {
  package let text: String
  package let json: JSON

  package init(_ value: PropertyValue) {
    text = value.description
    json = JSON(value)
  }
}
