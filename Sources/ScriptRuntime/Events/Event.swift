package import FetchedResults
package import ScriptSyntax
package import TableViews

/// Something a script's statements bring about that people see: one callback,
/// one printed value, one listing.
package enum Event {
  case willChangeContent(controller: String)
  case didChangeObject(
    controller: String, type: FetchedResultsChangeType, object: ShownObject,
    indexPath: ResultsIndexPath?, newIndexPath: ResultsIndexPath?)
  case didChangeSection(
    controller: String, type: FetchedResultsChangeType, index: Int, name: String)
  case didChangeContent(controller: String)
  case snapshot(controller: String, FetchedResultsSnapshot)
  case difference(controller: String, CollectionDifference<ObjectID>)
  case counts(controller: String, ChangeCounts)
  /// A hook of an entity ran, by its name.
  case hook(String, object: ObjectID)
  /// What a context tells its observers, after `observe`.
  case notification(ShownNotification)
  /// `show books`.
  case show(controller: String, sections: [ShownSection])
  /// What a table is asked for; the object is the one that a cell is configured
  /// with.
  case table(String, TableOperation, object: ShownObject?)
  /// What a table asks its data source, and the answer, where it is traced.
  case dataSource(table: String, DataSourceCall<CellContent>)
  /// What a table raised in its controller's delegate.
  case exception(table: String, TableViewException)
  /// `show view`.
  case showTable(ShownTable)
  /// `show books.request`, with what the store is asked in SQL; nil if it is asked in none.
  case request(controller: String, text: String, query: StoreQuery?)
  /// One `print` or `count`.
  case value(PrintedValue)
  /// An ad-hoc fetch.
  case rows(entity: String, objects: [ShownRow])
  /// `objects Book`.
  case objects(entity: String, objects: [ShownState])
  /// A fetch of object IDs.
  case objectIDs(entity: String, [ObjectID])
  /// A fetch of dictionaries.
  case dictionaries(entity: String, [FetchedDictionary])
  /// What a batch request did to the store.
  case batch(BatchResult)
  /// `evaluate … on …`.
  case evaluation(ShownEvaluation)
  /// The turn that the explanations after it are about, by its statement.
  case explainedTurn(String)
  /// One entry of `explain`.
  indirect case explanation(Explanation)
  /// `swift books`: code, by the name of what it sets up.
  case swift(name: String, text: String)
  /// One line of `caches`.
  case cache(ShownCache)
  /// `stats`.
  case statistics(ShownStatistics)
  /// `history`: transactions of the store, oldest first.
  case history([PersistentHistoryTransaction])
  /// Another process has saved into the store's file; the number of the last transaction, where
  /// the store keeps a history.
  case remoteChange(transaction: Int64?)
  /// A statement of the store, after `set sql on`.
  case statement(ShownStatement)
  /// `show model`; the requests that the model holds, as a script says them.
  case model(entities: [EntityDescription], hooks: [String: [HookText]], requests: [String])
  /// Something worth knowing that is not an error: what a model has and a script
  /// cannot use.
  case note(String)
  /// What Core Data would print on the console.
  case console(String)
  /// An error that `try` took, or one that ended the script; a file that cannot
  /// be read has no line.
  case error(message: String, file: String, line: Int?, column: Int?)
}

/// How many changes of each kind a batch had.
package struct ChangeCounts: Hashable, Sendable {
  package var inserts = 0
  package var deletes = 0
  package var moves = 0
  package var updates = 0
  package var sectionInserts = 0
  package var sectionDeletes = 0

  /// The counts with their names, in the order in which they are shown.
  package var named: [(name: String, count: Int)] {
    [
      ("inserts", inserts), ("deletes", deletes), ("moves", moves), ("updates", updates),
      ("sectionInserts", sectionInserts), ("sectionDeletes", sectionDeletes),
    ]
  }
}

extension Event {
  /// The event of an error that nothing took.
  package static func error(_ diagnostic: Diagnostic, in source: SourceText) -> Event {
    let position = source.position(of: diagnostic.range.lowerBound)
    return .error(
      message: diagnostic.message, file: source.name, line: position.line,
      column: position.column)
  }

  /// Whether a controller's delegate was called.
  package var isCallback: Bool {
    switch self {
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts:
      true
    case .hook, .notification, .show, .table, .dataSource, .exception, .showTable, .request, .value,
      .rows,
      .objects, .objectIDs, .dictionaries, .batch,
      .evaluation, .explainedTurn, .explanation, .swift, .cache, .statistics, .history,
      .remoteChange,
      .statement, .model,
      .note, .console, .error:
      false
    }
  }
}

/// An object by its identity and the text it is shown as.
package struct ShownObject: Hashable, Sendable {
  package let id: ObjectID
  /// The display attribute's value; nil if the entity has none to show.
  package let display: PropertyValue?
}

/// A section as `show` lists it.
package struct ShownSection {
  package let name: String
  package let indexTitle: String
  package let objects: [ShownObject]
  /// What the last turn did to it; empty if not asked for.
  package var marks = SectionMarks()
}

/// An object with all its values.
package struct ShownRow {
  package let id: ObjectID
  package let values: [(name: String, value: PropertyValue)]
}

/// An object with its state in the context.
package struct ShownState {
  package let object: ShownObject
  /// `inserted`, `updated`, `deleted`, `saved`, or `fault` for one whose values
  /// have not been read.
  package let state: String
}

/// A section cache as `caches` lists it.
package struct ShownCache {
  package let name: String
  /// What it holds; nil if unknown.
  package let contents: Contents?
  /// Why it will not be used, or nil if it will.
  package let staleness: String?

  /// What a cache was made of.
  package struct Contents {
    package let entity: String
    package let objects: Int
    package let sections: Int
  }
}
