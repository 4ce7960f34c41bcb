import FetchedResults
import ScriptRuntime
import TableViews

/// Describes a mistake: what is wrong, by which rule, and what to change.
struct MistakeText {
  /// What is wrong.
  var facts: [String] = []
  /// What to change in the app.
  var change: [String] = []
  /// What the log does not show.
  var unknown: [String] = []

  private static let sender =
    "A fetched results controller does not send this. Look at the code that forwards, sorts, "
    + "keeps or prints callbacks."

  init(_ mistake: LogMistake, in batch: LogBatch?) {
    switch mistake.cause {
    case .stale, .staleSection, .missing, .missingSection, .emptySection, .repeated, .samePlace,
      .moveAsUpdate, .wrongPaths,
      .outsideBatch, .unfinishedBatch, .breach, .numbers:
      describeCallbacks(mistake.cause, batch)
    case .missingOperation, .staleOperation, .repeatedOperation, .unaskedOperation, .reloadForMove,
      .operationOutside, .unfinishedUpdates, .clash, .wrongRow:
      describeOperations(mistake.cause, batch)
    case .exception(let exception):
      let text = ExceptionText(exception, in: batch)
      facts = text.facts
      change = text.change
      unknown = text.unknown
    case .reactions(let exception, let suspects):
      let text = ReactionText(exception, suspects, in: batch)
      facts = text.facts
      change = text.change
      unknown = text.unknown
    case .noReturn:
      facts = [
        "The app's delegate did not return from controllerDidChangeContent, so it raised an "
          + "exception."
      ]
      unknown = ["The console has the exception. Add it to the log to learn more."]
    }
  }

  private mutating func add(_ rules: [Rule]) {
    if let words = rules.words { facts.append(words) }
  }

  // MARK: Callbacks

  private mutating func describeCallbacks(_ cause: LogMistake.Cause, _ batch: LogBatch?) {
    switch cause {
    case .stale(let callback, let path, let found, let actual):
      facts = [callback.words, Self.place(callback, path, found, actual)]
      add(batch?.rules(of: .object(callback)) ?? [])
      change = [
        "Use the index paths of the callback itself. An old one counts before the turn, a new one "
          + "after it. Do not keep index paths for a later turn.",
        Self.sender,
      ]
    case .staleSection(let callback, let actual):
      let name = callback.name.map { "\"\($0)\"" } ?? "the section"
      let time = callback.type == .delete ? "before" : "after"
      facts = [
        callback.words,
        actual.map { "\(name) is section \($0) \(time) the turn, not \(callback.index)." }
          ?? "There is no section \(name) \(time) the turn.",
      ]
      add(batch?.rules(of: .section(callback)) ?? [])
      change = [Self.sender]
    case .missing(let object, let from, let to): describeMissing(object, from, to, batch)
    case .missingSection(let type, let index, let name):
      facts = ["There is no callback for the \(type.rawValue) of section \(index) \"\(name)\"."]
      add(type == .insert ? [.sectionFilled] : [.sectionEmptied])
      change = [
        "Implement controller(_:didChange:atSectionIndex:for:), and handle both insert and delete.",
        Self.sender,
      ]
    case .emptySection(let callback):
      facts = [
        callback.words,
        callback.type == .insert
          ? "No row was inserted into it or moved into it."
          : "No row was deleted from it or moved out of it.",
      ]
      add(batch?.rules(of: .section(callback)) ?? [])
      change = [Self.sender]
    case .repeated(let callback, let firstLine): describeRepetition(callback, firstLine, batch)
    case .samePlace(let callback, let path, let firstLine):
      facts = [callback.words, "The callback in line \(firstLine) already puts a row at \(path)."]
      change = [Self.sender]
    case .moveAsUpdate(let callback, let from, let to, let isSection):
      facts = [
        callback.words,
        from == to
          ? "\(callback.objectWords) moved to section \(to.section), which is new, so the callback "
            + "must be a move."
          : "\(callback.objectWords) moved from \(from) to \(to), so the callback must be a move.",
      ]
      add(isSection ? [.changedSection] : batch?.moveRules(from: from, to: to) ?? [])
      if isSection {
        facts.append("iPhone OS 3.1 sent this: see the rule section-change-as-update.")
      }
      change = [
        isSection
          ? "Keep the section name of each object, and treat an update that changes it as a move."
          : "Handle a move with deleteRows at the old and insertRows at the new index path."
      ]
      if from != to { change.append(Self.sender) }
    case .wrongPaths(let callback):
      facts = [callback.words, Self.needs(callback.type)]
      change = [Self.sender]
      if callback.type == .insert, callback.old != nil {
        change.insert(
          "iOS 8 sent callbacks of the type 0 to apps that were built with Xcode 7, and a switch in "
            + "Swift takes them for its first case. Ignore a callback whose type is none of the four.",
          at: 0)
      }
    case .outsideBatch(let callback):
      facts = [
        callback.words,
        "The callback is outside of controllerWillChangeContent and controllerDidChangeContent.",
        "rule batch: \(Rule.batch.summary)",
      ]
      change = [
        "Handle every callback before endUpdates, or before the end of performBatchUpdates. Do "
          + "not postpone it to another turn, as DispatchQueue.main.async does.",
        Self.sender,
      ]
    case .unfinishedBatch:
      facts = [
        "controllerWillChangeContent was called again before controllerDidChangeContent.",
        "rule batch: \(Rule.batch.summary)",
      ]
      change = [
        "Core Data ends a batch early if the delegate raises an exception in it. Look in the "
          + "console for it, and guard the code that the callbacks above run.",
        "If a callback replaced the delegate, replace it after controllerDidChangeContent.",
      ]
    case .breach(let breach):
      facts = ["The callbacks do not lead to the sections after the turn: \(breach)."]
      change = [Self.sender]
    case .numbers(let error):
      facts = [
        "The callbacks do not lead from the numbers of rows before the turn to those after it.",
        "A table that carries them out raises: \(error)",
      ]
      change = [Self.sender]
    case .missingOperation, .staleOperation, .repeatedOperation, .unaskedOperation, .reloadForMove,
      .operationOutside, .unfinishedUpdates, .clash, .wrongRow, .exception, .reactions, .noReturn:
      break
    }
  }

  private static func place(
    _ callback: ObjectChange, _ path: ResultsIndexPath, _ found: String?,
    _ actual: ResultsIndexPath?
  ) -> String {
    let isOld = callback.old == path && callback.type != .insert
    let time = isOld ? "before" : "after"
    let there =
      found.map { "\(path) has \($0) \(time) the turn" }
      ?? "There is no row \(path) \(time) the turn"
    let place =
      actual.map { "\(callback.objectWords) is at \($0)" }
      ?? "\(callback.objectWords) is not in the results at that time"
    return "\(there). \(place)."
  }

  private mutating func describeMissing(
    _ object: String, _ from: ResultsIndexPath?, _ to: ResultsIndexPath?, _ batch: LogBatch?
  ) {
    switch (from, to) {
    case (let from?, let to?):
      facts = ["\(object) moved from \(from) to \(to) without a callback."]
      add(batch?.moveRules(from: from, to: to) ?? [])
    case (let from?, nil):
      facts = ["\(object) was removed from \(from) without a callback."]
      add([.deleted, .stoppedMatching])
    case (nil, let to?):
      facts = ["\(object) was inserted at \(to) without a callback."]
      add([.created, .startedMatching])
    case (nil, nil): break
    }
    change = [Self.sender]
  }

  private mutating func describeRepetition(
    _ callback: LogBatch.Callback, _ firstLine: Int, _ batch: LogBatch?
  ) {
    facts = [callback.words]
    let first = batch?.callbacks.first { $0.line == firstLine }
    if let first, first.change != callback.change {
      facts.append("Line \(firstLine) already has a callback about this object: \(first.words).")
      let types = Set([first, callback].compactMap(\.objectType))
      if types == [.update, .move] {
        facts.append("rule update-and-move: \(Rule.updateAndMove.summary)")
        change = [
          "iOS 8 and 9 sent an update before the move of one object. Ignore the update if a move of "
            + "the same object follows. \(ExceptionText.samePathMove)"
        ]
      } else {
        change = types == [.update, .delete] ? ["Ignore the update of a row that is deleted."] : []
        change.append(Self.sender)
      }
    } else {
      facts.append("Line \(firstLine) has the same callback in the same batch.")
      change = [
        "Set one delegate, and forward each callback once.",
        Self.sender,
      ]
    }
  }

  private static func needs(_ type: FetchedResultsChangeType) -> String {
    switch type {
    case .insert: "An insert has a new index path, and no old one."
    case .delete: "A delete has an old index path, and no new one."
    case .move: "A move has both index paths."
    case .update: "An update has the old index path."
    }
  }

  // MARK: Operations

  private mutating func describeOperations(_ cause: LogMistake.Cause, _ batch: LogBatch?) {
    switch cause {
    case .missingOperation(let callback, let expected):
      let wanted = expected.map(\.description).joined(separator: " and ")
      facts = [callback.words, "The app did not call \(wanted)."]
      add(batch?.rules(of: callback.change) ?? [])
      if case .section = callback.change {
        change = [
          "Implement controller(_:didChange:atSectionIndex:for:). Call insertSections for an insert "
            + "and deleteSections for a delete."
        ]
      } else {
        change = ["Call \(wanted) in controller(_:didChange:at:for:newIndexPath:)."]
      }
    case .staleOperation(let operation, let expected, let callback):
      facts = [
        callback.words, "The app called \(operation); it should call \(expected).",
      ]
      add(batch?.rules(of: callback.change) ?? [])
      change = [
        "Deletes and reloads take the old index path (indexPath), inserts the new one "
          + "(newIndexPath). UIKit performs deletes first, in any order of the calls."
      ]
    case .repeatedOperation(let operation, let firstLine):
      facts = ["The app called \(operation) twice, first in line \(firstLine)."]
      change = ["Call it once. Look for two delegates, or a second call in the data source."]
    case .unaskedOperation(let operation):
      facts = ["The app called \(operation) without a callback."]
      change = [
        "Leave changes of the table to the callbacks. To delete a row, delete the object only."
      ]
    case .reloadForMove(let operation, let callback):
      facts = [callback.words, "The app called \(operation) only, which does not move the row."]
      add(batch?.rules(of: callback.change) ?? [])
      change = [
        "Handle a move with deleteRows at the old and insertRows at the new index path, or with "
          + "moveRow and a new configuration of the cell."
      ]
    case .operationOutside(let operation):
      facts = [
        "The app called \(operation) outside of beginUpdates and endUpdates, so it is a "
          + "separate update."
      ]
      change = [
        "Call beginUpdates in controllerWillChangeContent and endUpdates in "
          + "controllerDidChangeContent. Handle every callback in between."
      ]
    case .unfinishedUpdates:
      facts = ["beginUpdates was called more often than endUpdates."]
      change = ["Call endUpdates once in controllerDidChangeContent, on every path."]
    case .clash(let error):
      facts = ["Each operation is right, but UIKit does not allow them together."]
      change = ExceptionText.changes(for: error)
    case .wrongRow(let path, let shown, let actual):
      facts = ["The table shows \(shown) at \(path), but the controller has \(actual) there."]
      unknown = ["The log does not say which operation should have moved it."]
    case .stale, .staleSection, .missing, .missingSection, .emptySection, .repeated, .samePlace,
      .moveAsUpdate, .wrongPaths,
      .outsideBatch, .unfinishedBatch, .breach, .numbers, .exception, .reactions, .noReturn:
      break
    }
  }
}

/// Describes which reactions of an app raise an exception.
struct ReactionText {
  private(set) var facts: [String] = []
  private(set) var change: [String] = []
  private(set) var unknown: [String] = []

  init(_ exception: LoggedException, _ suspects: [SuspectedReactions], in batch: LogBatch?) {
    facts = [exception.words]
    guard let first = suspects.first else { return }
    if first.chosen.isEmpty {
      facts.append("The reactions of Xcode's template raise exactly this for these callbacks.")
    } else {
      facts.append("The callbacks are right. The app's reaction to them is wrong.")
      facts.append("This exact exception is raised if \(Self.words(first)).")
    }
    if first.chosen[.update] == [.reloadRows], let error = exception.error {
      addCallbacks(first, batch)
      change = ExceptionText.changes(for: error)
      return
    }
    addCallbacks(first, batch)
    for change in TableReactions.Change.allCases where first.chosen[change] != nil {
      self.change += Self.advice(change)
    }
    if first.chosen.isEmpty, let error = exception.error {
      change = ExceptionText.changes(for: error)
    }
    let others = suspects.dropFirst().prefix(3)
    if !others.isEmpty {
      unknown.append("The log does not show the reactions. These raise the same:")
      unknown += others.map { "- if \(Self.words($0))" }
    }
  }

  private mutating func addCallbacks(_ first: SuspectedReactions, _ batch: LogBatch?) {
    for change in TableReactions.Change.allCases where first.chosen[change] != nil {
      if let callback = batch?.callbacks.first(where: { ReactionSearch.change($0) == change }) {
        facts.append("line \(callback.line): \(callback.words)")
        if let words = batch?.rules(of: callback.change).words { facts.append(words) }
      }
    }
  }

  private static func words(_ suspect: SuspectedReactions) -> String {
    let changes = TableReactions.Change.allCases.filter { suspect.chosen[$0] != nil }
    let ignored = changes.filter { suspect.chosen[$0] == [.nothing] }.map(words)
    let handled = changes.filter { suspect.chosen[$0] != [.nothing] }.map { change in
      words(change) + " with "
        + (suspect.chosen[change] ?? []).map(\.rawValue).joined(separator: " and ")
    }
    let parts = [("ignores", ignored), ("handles", handled)].compactMap { verb, objects in
      objects.isEmpty ? nil : "\(verb) \(objects.joined(separator: ", and "))"
    }
    return "the delegate " + parts.joined(separator: ", and ")
  }

  private static func words(_ change: TableReactions.Change) -> String {
    switch change {
    case .insert: "an insert"
    case .delete: "a delete"
    case .update: "an update"
    case .move: "a move"
    case .sectionInsert: "the insert of a section"
    case .sectionDelete: "the delete of a section"
    }
  }

  private static func advice(_ change: TableReactions.Change) -> [String] {
    switch change {
    case .insert: ["For an insert, call insertRows(at: [newIndexPath])."]
    case .delete: ["For a delete, call deleteRows(at: [indexPath])."]
    case .update:
      [
        "For an update, call reloadRows(at: [indexPath]), or configure the visible cell. Do not "
          + "delete, insert or move a row."
      ]
    case .move:
      [
        "For a move, call deleteRows(at: [indexPath]) and insertRows(at: [newIndexPath]). Do not "
          + "reload the row as well."
      ]
    case .sectionInsert:
      ["Implement controller(_:didChange:atSectionIndex:for:): call insertSections for an insert."]
    case .sectionDelete:
      ["Implement controller(_:didChange:atSectionIndex:for:): call deleteSections for a delete."]
    }
  }
}

extension LogBatch.Callback {
  /// A text such as `didChange object move Book/1 [0, 0] -> [1, 0]`.
  var words: String {
    switch change {
    case .object(let change): change.words
    case .section(let change): change.words
    }
  }

  /// The type of a change of an object; nil for a section.
  fileprivate var objectType: FetchedResultsChangeType? {
    if case .object(let change) = change { change.type } else { nil }
  }
}

extension ObjectChange {
  /// A text such as `didChange object insert Book/1 -> [0, 0]`.
  var words: String {
    let places: String? =
      switch (type, old, new) {
      case (.update, let old?, _): "\(old)"
      case (_, let old?, let new?): "\(old) -> \(new)"
      case (_, let old?, nil): "\(old)"
      case (_, nil, let new?): "-> \(new)"
      case (_, nil, nil): nil
      }
    return "didChange object "
      + [type.rawValue, object, places].compactMap { $0 }
      .joined(separator: " ")
  }

  /// The object's name, or "the object" if the log does not name it.
  var objectWords: String { object ?? "the object" }
}

extension SectionChange {
  /// A text such as `didChange section insert 0 "A"`.
  var words: String {
    "didChange section \(type.rawValue) \(index)" + (name.map { " \"\($0)\"" } ?? "")
  }
}

extension [Rule] {
  /// A text such as `rule created or started-matching`, with an explanation if there is only one
  /// rule; nil if there are none.
  var words: String? {
    switch count {
    case 0: nil
    case 1: "rule \(self[0].rawValue): \(self[0].summary)"
    case _: "rule " + map(\.rawValue).joined(separator: " or ")
    }
  }
}

extension Int {
  /// Returns the number with a noun: `1 row`, `3 rows`.
  func of(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
