import FetchedResults
import ScriptSyntax
import TableViews

/// A script that reproduces what a log shows.
package struct ReproducingScript: Sendable {
  /// The statements, formatted.
  package let text: String
  /// The same for an app that follows the advice, so that its table does not crash.
  package let mended: String

  /// The reason why there is no script.
  package struct Problem: Error, Hashable, Sendable {
    package let words: String
  }

  /// Creates a script for the first mistake, or for the last turn if there is none.
  ///
  /// - Throws: ``Problem`` if the log does not contain enough information.
  package init(_ diagnosis: Diagnosis) throws(Problem) {
    guard var turn = try Self.turn(diagnosis) else {
      throw Problem(
        words: "the log does not say enough for a script; record the callbacks of the app with "
          + "frc swift --recorder")
    }
    guard turn.before.reduce(0, { $0 + $1.rows.count }) <= ScriptedTurn.mostRows else {
      throw Problem(words: "a script would have more than \(ScriptedTurn.mostRows) rows")
    }
    if let mistake = diagnosis.mistakes.first {
      turn.comments.insert("Line \(mistake.line) of a log: \(mistake.kind.rawValue).", at: 0)
    } else {
      turn.comments.insert("The last turn of a log.", at: 0)
    }
    text = Self.formatted(turn.text)
    mended = Self.formatted(turn.mended.text)
  }

  private static func formatted(_ text: String) -> String {
    let script = ScriptParser.parse(SourceText(name: "replay", text: text))
    return String(decoding: ScriptFormatter.format(script), as: UTF8.self)
  }

  private static func turn(_ diagnosis: Diagnosis) throws(Problem) -> ScriptedTurn? {
    guard let mistake = diagnosis.mistakes.first else {
      let index = diagnosis.batches.lastIndex { !$0.callbacks.isEmpty }
      return index.flatMap { turn(of: diagnosis.batches[$0], nil, diagnosis) }
    }
    // No turn of an engine sends both a move to the same index path and an update.
    if let index = mistake.batch, mistake.kind == .repeatedCallback,
      let exception = diagnosis.batches[index].exception,
      diagnosis.batches[index].objectChanges.contains(where: {
        $0.change.type == .move && $0.change.old == $0.change.new
      })
    {
      return ExceptionScene.turn(exception)
    }
    if let index = mistake.batch, !diagnosis.batches[index].callbacks.isEmpty,
      let turn = turn(of: diagnosis.batches[index], mistake, diagnosis)
    {
      return turn
    }
    if case .exception(let exception) = mistake.cause { return ExceptionScene.turn(exception) }
    return nil
  }

  // MARK: A turn of the log

  private static func turn(
    of batch: LogBatch, _ mistake: LogMistake?, _ diagnosis: Diagnosis
  ) -> ScriptedTurn? {
    guard let (before, after) = sections(of: batch, mistake) else { return nil }
    let described = diagnosis.controllers.first { $0.name == batch.controller }
    let isPlain = (before + after).allSatisfy { $0.name.isEmpty }
    let rows = Self.rows(of: batch, before)
    var turn = ScriptedTurn(
      before: before, after: after, updated: rows.updated, moved: rows.moved,
      hasSections: described?.sectionNameKeyPath != nil || !isPlain)
    if batch.controller.isScriptName { turn.controller = batch.controller }
    choose(&turn, mistake, batch)
    return turn
  }

  /// Returns the objects that a callback names, by name or by place.
  private static func rows(
    of batch: LogBatch, _ before: [ScriptedTurn.Section]
  ) -> (moved: Set<String>, updated: Set<String>) {
    var moved: Set<String> = []
    var updated: Set<String> = []
    for (_, change) in batch.objectChanges {
      guard let old = change.old, before.indices.contains(old.section),
        before[old.section].rows.indices.contains(old.row)
      else { continue }
      let row = before[old.section].rows[old.row]
      if change.type == .move { moved.insert(row) }
      if change.type == .update { updated.insert(row) }
    }
    return (moved, updated)
  }

  private static func sections(
    of batch: LogBatch, _ mistake: LogMistake?
  ) -> (before: [ScriptedTurn.Section], after: [ScriptedTurn.Section])? {
    if let before = batch.before?.rows {
      if let after = batch.after?.rows { return (before, after) }
      if let changes = CallbackCheck.changes(batch.callbacks),
        let after = try? ReplayLaw<String>.sections(after: changes, from: before)
      {
        return (before, after)
      }
    }
    var error = mistake?.consequence
    error = batch.exception?.error ?? error
    let callbacks = rightCallbacks(batch, mistake)
    let counts =
      batch.before.map { $0.counts } ?? CountedSections.implied(by: callbacks, error)?.before
    guard let counts, counts.reduce(0, +) <= ScriptedTurn.mostRows else { return nil }
    return madeUp(callbacks, counts, batch.before)
  }

  /// Returns the callbacks without repetitions, with a move for each update that should be one.
  private static func rightCallbacks(
    _ batch: LogBatch, _ mistake: LogMistake?
  ) -> [LogBatch.Callback] {
    var seen: Set<LogBatch.Callback.Change> = []
    var callbacks = batch.callbacks.filter { seen.insert($0.change).inserted }
    guard let mistake, case .moveAsUpdate(let update, let from, let to, _) = mistake.cause else {
      return callbacks
    }
    for place in callbacks.indices where callbacks[place].change == .object(update) {
      let move = ObjectChange(type: .move, object: update.object, old: from, new: to)
      callbacks[place] = LogBatch.Callback(line: callbacks[place].line, change: .object(move))
    }
    return callbacks
  }

  /// Returns assumed rows and names, for a log that has only places.
  private static func madeUp(
    _ callbacks: [LogBatch.Callback], _ counts: [Int], _ logged: LoggedSections?
  ) -> (before: [ScriptedTurn.Section], after: [ScriptedTurn.Section])? {
    let isPlain =
      counts.count <= 1
      && !callbacks.contains { callback in
        if case .section = callback.change { true } else { false }
      }
    var before: [ScriptedTurn.Section] = []
    // Sections need different names, and a log may give the same name twice.
    let names = logged?.sections.map(\.name) ?? []
    let hasNames = names.count == counts.count && Set(names).count == names.count
    for (section, count) in counts.enumerated() {
      let name = isPlain ? "" : hasNames ? names[section] : "section \(section)"
      before.append(
        ScriptedTurn.Section(name: name, rows: (0..<count).map { "row \(section)-\($0)" }))
    }
    if before.isEmpty, isPlain { before = [ScriptedTurn.Section(name: "", rows: [])] }
    var changes: [ReplayLaw<String>.Change] = []
    for (place, callback) in callbacks.enumerated() {
      switch callback.change {
      case .section(let change):
        let name =
          change.type == .delete && before.indices.contains(change.index)
          ? before[change.index].name : change.name ?? "new section \(change.index)"
        changes.append(.section(change.type, index: change.index, name: name))
      case .object(let change):
        let row = change.old.flatMap { path in
          before.indices.contains(path.section)
            && before[path.section].rows.indices.contains(path.row)
            ? before[path.section].rows[path.row] : nil
        }
        // An update of a row that also moves belongs to the move.
        if change.type == .update { continue }
        changes.append(
          .object(
            change.type, row ?? "new row \(place + 1)", at: change.old, newIndexPath: change.new))
      }
    }
    guard var after = try? ReplayLaw<String>.sections(after: changes, from: before),
      Set(after.map(\.name)).count == after.count
    else { return nil }
    // A log may have only section callbacks, but no section is empty.
    for index in after.indices where after[index].rows.isEmpty && !isPlain {
      after[index].rows = ["new row of \(after[index].name)"]
    }
    return (before, after)
  }

  // MARK: The app's part

  /// Gives the table the reactions from the log, and the engine its quirk.
  private static func choose(_ turn: inout ScriptedTurn, _ mistake: LogMistake?, _ batch: LogBatch)
  {
    guard let mistake else { return }
    switch mistake.cause {
    case .reactions(_, let suspects):
      turn.reactions = suspects.first?.chosen ?? [:]
    case .missingOperation(let callback, _):
      turn.reactions = shownReactions(batch)
      turn.reactions[ReactionSearch.change(callback)] = [.nothing]
    case .reloadForMove:
      turn.reactions = shownReactions(batch)
      turn.reactions[.move] = [.reloadRows]
    case .clash, .repeatedOperation, .unaskedOperation, .wrongRow, .staleOperation,
      .operationOutside, .unfinishedUpdates:
      turn.reactions = shownReactions(batch)
      if case .clash = mistake.cause { return }
      turn.comments.append("The table here reacts in the right order and at the right places.")
    case .moveAsUpdate(_, _, _, let isSection):
      if isSection { turn.quirk = "sectionChangeAsUpdate" }
      turn.comments.append("The controller here sends the callbacks that belong to the turn.")
    case .samePlace:
      turn.comments.append("The controller here sends the callbacks that belong to the turn.")
    case .repeated(let callback, let firstLine):
      if batch.callbacks.first(where: { $0.line == firstLine })?.change != callback.change {
        turn.quirk = "updateAndMove"
      }
      turn.comments.append("The controller here sends the callbacks that belong to the turn.")
    case .missing(_, let from, let to):
      let change: TableReactions.Change = from == nil ? .insert : to == nil ? .delete : .move
      turn.reactions[change] = [.nothing]
      turn.comments.append("Instead of a callback, the reaction to it is missing here.")
    case .missingSection(let type, _, _):
      turn.reactions[type == .insert ? .sectionInsert : .sectionDelete] = [.nothing]
      turn.comments.append("Instead of a callback, the reaction to it is missing here.")
    case .stale, .staleSection, .emptySection, .wrongPaths, .outsideBatch, .unfinishedBatch,
      .breach, .numbers, .exception, .noReturn:
      turn.comments.append("The controller here sends the callbacks that belong to the turn.")
    }
  }

  /// Returns reactions, for each kind of change, that perform the operations in the log.
  private static func shownReactions(
    _ batch: LogBatch
  ) -> [TableReactions.Change: [TableReactions.Reaction]] {
    let asked = Set(batch.operations.map(\.operation))
    guard !asked.isEmpty else { return [:] }
    var shown: [TableReactions.Change: [TableReactions.Reaction]] = [:]
    for (change, callbacks) in Dictionary(grouping: batch.callbacks, by: ReactionSearch.change) {
      let candidates = [TableReactions()[change]] + ReactionSearch.choices(change)
      let fitting = candidates.first { reactions in
        callbacks.allSatisfy { callback in
          ReactionSearch.operations(for: callback, TableReactions([change: reactions]))
            .allSatisfy(asked.contains)
        }
      }
      if let fitting, fitting != TableReactions()[change] { shown[change] = fitting }
    }
    return shown
  }
}

extension String {
  /// Whether a script can use the name for a controller.
  fileprivate var isScriptName: Bool {
    guard let first = unicodeScalars.first, ("a"..."z").contains(first) else { return false }
    return self != CallbackGrammar.unnamed
      && unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
      }
  }
}
