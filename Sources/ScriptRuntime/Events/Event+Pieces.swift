import FetchedResults

extension Event {
  /// The number of elements in a piece of a long list.
  private static var pieceLength: Int { 256 }

  /// The number of elements in the event's list, each of which is one line of text; nil if the
  /// event has no list.
  package var listCount: Int? {
    switch self {
    case .rows(_, let objects): objects.count
    case .objects(_, let objects): objects.count
    case .objectIDs(_, let ids): ids.count
    case .dictionaries(_, let rows): rows.count
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable, .request, .value, .batch, .evaluation, .explainedTurn, .explanation, .swift,
      .cache, .statistics, .history, .remoteChange, .statement, .model, .note, .console, .error:
      nil
    }
  }

  /// Returns a part of the event's list; the event itself if it has no list.
  package func part(_ range: Range<Int>) -> Event {
    switch self {
    case .rows(let entity, let objects): .rows(entity: entity, objects: Array(objects[range]))
    case .objects(let entity, let objects): .objects(entity: entity, objects: Array(objects[range]))
    case .objectIDs(let entity, let ids): .objectIDs(entity: entity, Array(ids[range]))
    case .dictionaries(let entity, let rows): .dictionaries(entity: entity, Array(rows[range]))
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable, .request, .value, .batch, .evaluation, .explainedTurn, .explanation, .swift,
      .cache, .statistics, .history, .remoteChange, .statement, .model, .note, .console, .error:
      self
    }
  }

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
      return EventFormatter.text.lines(for: isList ? part(range) : self)
    }
  }
}

extension [ShownSection] {
  /// The sections without the marks of the last turn, which scripts do not print.
  fileprivate var unmarked: [ShownSection] {
    map { ShownSection(name: $0.name, indexTitle: $0.indexTitle, objects: $0.objects) }
  }
}
