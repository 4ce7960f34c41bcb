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
  /// `show books`.
  case show(controller: String, sections: [ShownSection])
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
      if case .show(_, let sections) = self, !sections.isEmpty {
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
