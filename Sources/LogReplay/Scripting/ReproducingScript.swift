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

/// A turn as statements of frc: the rows before it, and the changes that lead to the rows after it.
struct ScriptedTurn {
  typealias Section = ReplayLaw<String>.Section

  /// The comments at the beginning of the script.
  var comments: [String] = []
  var controller = "results"
  var before: [Section]
  var after: [Section]
  /// Rows that change and keep their place.
  var updated: Set<String> = []
  /// Rows with a move callback.
  var moved: Set<String> = []
  var hasSections: Bool
  var reactions: [TableReactions.Change: [TableReactions.Reaction]] = [:]
  var quirk: String?
  /// How many of the first rows the table has, if a fetch without a callback added the others.
  var shownRows: Int?
  /// Whether the table is reloaded after that fetch.
  var reloads = false

  /// The same turn in an app that follows the advice: its delegate is that of Xcode's template, but
  /// that it configures the cell of an update, and it reloads its table after a fetch.
  var mended: ScriptedTurn {
    var turn = self
    turn.reloads = true
    let configures =
      quirk != nil || reactions[.update] != nil || reactions[.move]?.contains(.moveRow) == true
    // An app that treats this update as a move does what it does for a move.
    if quirk == "sectionChangeAsUpdate" { turn.quirk = nil }
    turn.reactions = configures ? [.update: [.configureCellWithObject]] : [:]
    return turn
  }

  /// The largest number of rows in a script.
  static let mostRows = 5_000

  /// The script.
  ///
  /// - Complexity: O(*n* log *n*) for *n* rows.
  var text: String {
    let places = RowPlaces(before: before, after: after, moved: moved)
    var numbers: [String: Int] = [:]
    var lines = comments.map { "# \($0)" }
    lines.append(
      "entity Row { name: String, \(hasSections ? "section: String, sectionPlace: Int, " : "")"
        + "place: Int, version: Int = 1 }")
    lines.append(
      "controller \(controller) = Row sort by "
        + (hasSections ? "sectionPlace, place section by section" : "place"))
    lines += tableLines
    var inserts: [String] = []
    for row in before.flatMap(\.rows) {
      numbers[row] = numbers.count + 1
      inserts.append("insert Row(\(values(of: row, places.old[row])))")
    }
    let shown = shownRows ?? inserts.count
    lines += inserts.prefix(shown) + ["save", "fetch \(controller)"]
    if shown < inserts.count {
      lines.append("perform {")
      lines += (inserts.dropFirst(shown) + ["fetch \(controller)"]).map { "  " + $0 }
      lines += ["}"] + (reloads ? ["reload view"] : [])
    }
    lines.append("show \(controller)")
    if let quirk { lines.append("quirk \(quirk) on") }
    lines += ["perform {"] + changes(places, numbers).map { "  " + $0 } + ["}"]
    lines.append("show \(controller)")
    return lines.joined(separator: "\n") + "\n"
  }

  private var tableLines: [String] {
    let chosen = TableReactions.Change.allCases.compactMap { change in
      reactions[change].map { reactions in
        "  \(change.rawValue) \(reactions.map(\.rawValue).joined(separator: " "))"
      }
    }
    guard !chosen.isEmpty else { return ["table view = \(controller)"] }
    return ["table view = \(controller) {"] + chosen + ["}"]
  }

  private func values(of row: String, _ place: RowPlaces.Place?) -> String {
    guard let place else { return "name: \(row.quoted)" }
    let section =
      hasSections
      ? "section: \(place.section.quoted), sectionPlace: \(place.sectionPlace), " : ""
    return "name: \(row.quoted), \(section)place: \(place.place)"
  }

  private func changes(_ places: RowPlaces, _ numbers: [String: Int]) -> [String] {
    var lines: [String] = []
    for row in before.flatMap(\.rows) {
      guard let number = numbers[row], let old = places.old[row] else { continue }
      guard let new = places.new[row] else {
        lines.append("delete Row/\(number)")
        continue
      }
      if hasSections, new.section != old.section {
        lines.append("Row/\(number).section = \(new.section.quoted)")
      }
      if hasSections, new.sectionPlace != old.sectionPlace {
        lines.append("Row/\(number).sectionPlace = \(new.sectionPlace)")
      }
      if new.place != old.place { lines.append("Row/\(number).place = \(new.place)") }
      if updated.contains(row) { lines.append("Row/\(number).version = 2") }
    }
    for row in after.flatMap(\.rows) where numbers[row] == nil {
      lines.append("insert Row(\(values(of: row, places.new[row])))")
    }
    return lines
  }
}

/// The sort keys of rows before and after a turn.
///
/// A row that keeps its place keeps its keys.
struct RowPlaces {
  struct Place: Hashable {
    let section: String
    let sectionPlace: Int
    let place: Int
  }

  private(set) var old: [String: Place] = [:]
  private(set) var new: [String: Place] = [:]

  init(before: [ScriptedTurn.Section], after: [ScriptedTurn.Section], moved: Set<String>) {
    let oldNames = before.map(\.name)
    let newNames = after.map(\.name)
    let sections = Self.merged(oldNames, newNames, moved: [])
    let rowsAfter = Dictionary(after.map { ($0.name, $0.rows) }) { first, _ in first }
    for section in before {
      let later = rowsAfter[section.name] ?? []
      let stays = sections.old[section.name] == sections.new[section.name]
      let rows = Self.merged(section.rows, stays ? later : [], moved: moved)
      for row in section.rows {
        old[row] = Place(
          section: section.name, sectionPlace: sections.old[section.name] ?? 0,
          place: rows.old[row] ?? 0)
      }
      guard stays else { continue }
      for row in later {
        new[row] = Place(
          section: section.name, sectionPlace: sections.new[section.name] ?? 0,
          place: rows.new[row] ?? 0)
      }
    }
    for section in after {
      for (index, row) in section.rows.enumerated() where new[row] == nil {
        new[row] = Place(
          section: section.name, sectionPlace: sections.new[section.name] ?? 0, place: index * 10)
      }
    }
  }

  /// Merges two lists into one order.
  ///
  /// An element of both lists has one place, unless it moved.
  private static func merged(
    _ before: [String], _ after: [String], moved: Set<String>
  ) -> (old: [String: Int], new: [String: Int]) {
    // A log may list an element twice.
    let indices = Dictionary(before.enumerated().map { ($1, $0) }) { first, _ in first }
    let both = after.filter { indices[$0] != nil && !moved.contains($0) }
    let leftOut = Set(
      LongestOrder.leftOut(of: both, place: { indices[$0] ?? 0 }, weight: { _ in 1 }))
    let kept = Set(both).subtracting(leftOut)
    var old: [String: Int] = [:]
    var new: [String: Int] = [:]
    var rest = before[...]
    var place = 0
    func takeRest(until end: String?) {
      while let element = rest.first, element != end {
        rest.removeFirst()
        old[element] = place
        place += 10
      }
    }
    for element in after {
      if kept.contains(element) {
        takeRest(until: element)
        rest = rest.dropFirst()
        old[element] = place
      }
      new[element] = place
      place += 10
    }
    takeRest(until: nil)
    return (old, new)
  }
}
