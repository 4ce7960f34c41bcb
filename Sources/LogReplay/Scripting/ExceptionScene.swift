import FetchedResults
import TableViews

/// Creates turns that raise an exception if only the exception is known.
enum ExceptionScene {
  private typealias Section = ScriptedTurn.Section

  private static let comment =
    "The log has no callbacks. This turn raises the same exception; the app's turn may differ."

  /// Creates a turn; nil if the exception does not contain enough information.
  static func turn(_ exception: LoggedException) -> ScriptedTurn? {
    var turn: ScriptedTurn? =
      switch exception.meaning {
      case .refused(let error): refused(error)
      case .inconsistent(_, _, _, let error): error.flatMap(refused)
      case .noObject(let row, let section): lookedUp(row, section)
      case .beyondBounds(let index, let count): index == count ? lookedUp(index, 0) : nil
      case .noSection, .noSortDescriptors, .staleSectionCache, .sectionsOutOfOrder, .notUnique,
        .snapshotInUse, .snapshotSections, .animation,
        .twoAnimations, .invalidIndexPath, .scrolled, .toManyKey, .unknownKeyPath, .noEntity,
        .notFetched, .unfulfilledFault, .message, .cut, .unknown:
        nil
      }
    turn?.comments = [comment]
    return turn
  }

  private static func refused(_ error: TableUpdateError) -> ScriptedTurn? {
    switch error {
    case .numberOfRows(let section, let counts): rows(section, counts)
    case .numberOfSections(let before, let after, let inserted, let deleted):
      sections(before, after, inserted, deleted)
    case .deletedRowMissing(let path, let rows):
      path.row == rows
        ? grown(path.section, from: rows, to: rows + 1, [.insert: [.deleteRows]])
        : missed(path, rows)
    case .insertedRowMissing(let path, let rows):
      path.row == rows
        ? grown(path.section, from: rows + 1, to: rows, [.delete: [.insertRows]]) : nil
    case .deletedSectionMissing(let section, let sections):
      section == sections
        ? lists(sections, sections + 1, [.sectionInsert: [.deleteSections]]) : nil
    case .insertedSectionMissing(let section, let sections):
      section == sections
        ? lists(sections + 1, sections, [.sectionDelete: [.insertSections]]) : nil
    case .insertedRowWithoutSection(let path, let sections):
      path.section == sections && path.row == 0
        ? lists(sections + 1, sections, [.delete: [.insertRows], .sectionDelete: [.nothing]]) : nil
    case .deletedRowWithoutSection(let path, let sections):
      path.section == sections && path.row == 0
        ? lists(sections, sections + 1, [.insert: [.deleteRows]]) : nil
    case .movedFromDeletedSection(let section): moved(section, isInto: false)
    case .movedIntoInsertedSection(let section): moved(section, isInto: true)
    case .deletedAndReloaded(let path):
      path.section == 0 ? reordered(path.row, [:], quirk: "updateAndMove") : nil
    case .deletedAndMoved(let path):
      path.section == 0 ? reordered(path.row, [.move: [.moveRow, .deleteRows]]) : nil
    case .insertedAndMoved(let path):
      path.section == 0
        ? reordered(path.row, isTarget: true, [.move: [.moveRow, .insertRows]]) : nil
    case .movedRowMissing, .movedRowWithoutSection, .moveTargetMissing, .moveTargetWithoutSection,
      .movedTwice, .movedToOneRow:
      nil
    }
  }

  private static func names(_ count: Int, _ word: String) -> [String] {
    (0..<max(0, count)).map { "\(word) \($0)" }
  }

  private static func section(_ index: Int, _ rows: [String]) -> Section {
    // The names are in alphabetical order.
    Section(name: "section \(index)", rows: rows.map { "\($0) of \(index)" })
  }

  private static func isSmall(_ numbers: Int...) -> Bool { numbers.allSatisfy { 0...2_000 ~= $0 } }

  // MARK: Rows

  private static func grown(
    _ section: Int, from before: Int, to after: Int,
    _ reactions: [TableReactions.Change: [TableReactions.Reaction]]
  ) -> ScriptedTurn? {
    guard isSmall(section, before, after) else { return nil }
    func list(_ count: Int) -> [Section] {
      section == 0
        ? [Section(name: "", rows: names(count, "row"))]
        : (0..<section).map { Self.section($0, ["row"]) } + [
          Self.section(section, names(count, "row"))
        ]
    }
    guard section == 0 || before > 0 && after > 0 else { return nil }
    return ScriptedTurn(
      before: list(before), after: list(after), hasSections: section > 0, reactions: reactions)
  }

  /// Returns a turn that deletes a row which a fetch added without a callback.
  private static func missed(_ path: ResultsIndexPath, _ rows: Int) -> ScriptedTurn? {
    guard path.section == 0, isSmall(path.row, rows), path.row > rows else { return nil }
    let old = names(path.row + 1, "row")
    var turn = ScriptedTurn(
      before: [Section(name: "", rows: old)],
      after: [Section(name: "", rows: old.dropLast())], hasSections: false)
    turn.shownRows = rows
    return turn
  }

  /// Returns a turn for a section whose numbers of rows do not add up: the operations of the table,
  /// and rows that are inserted or deleted without an operation.
  private static func rows(
    _ section: Int, _ counts: TableUpdateError.RowCounts
  ) -> ScriptedTurn? {
    guard counts.movedIn == 0, counts.movedOut == 0,
      isSmall(section, counts.before, counts.after, counts.inserted, counts.deleted)
    else { return nil }
    var inserts = counts.inserted
    var deletes = counts.deleted
    var reactions: [TableReactions.Change: [TableReactions.Reaction]] = [:]
    let missing = counts.after - counts.before - inserts + deletes
    // If inserts are not performed, none may be performed; the same is true of deletes.
    if missing > 0, inserts == 0 {
      inserts = missing
      reactions[.insert] = [.nothing]
    } else if missing < 0, deletes == 0 {
      deletes = -missing
      reactions[.delete] = [.nothing]
    } else {
      return untoldMoves(section, counts, missing)
    }
    guard deletes <= counts.before else { return nil }
    let old = names(counts.before, "row")
    let new = Array(old.dropFirst(deletes)) + names(inserts, "new row")
    guard section == 0 || !old.isEmpty && !new.isEmpty else { return nil }
    func list(_ rows: [String]) -> [Section] {
      section == 0
        ? [Section(name: "", rows: rows)]
        : (0..<section).map { Self.section($0, ["row"]) } + [Self.section(section, rows)]
    }
    return ScriptedTurn(
      before: list(old), after: list(new), hasSections: section > 0, reactions: reactions)
  }

  /// Adds rows that move from or to the next section, without an operation.
  private static func untoldMoves(
    _ section: Int, _ counts: TableUpdateError.RowCounts, _ missing: Int
  ) -> ScriptedTurn? {
    let leaving = max(0, -missing)
    guard counts.deleted + leaving <= counts.before, counts.before > 0, counts.after > 0 else {
      return nil
    }
    let old = names(counts.before, "row").map { "\($0) of \(section)" }
    let others = names(max(0, missing) + 1, "other row")
    let staying = old.dropFirst(counts.deleted + leaving)
    let new = Array(staying) + others.dropFirst().map { $0 } + names(counts.inserted, "new row")
    let kept = missing > 0 ? Array(others.prefix(1)) : others
    let gone = old.dropFirst(counts.deleted).prefix(leaving)
    let first = (0..<section).map { Self.section($0, ["row"]) }
    let next = "section \(section + 1)"
    return ScriptedTurn(
      before: first + [
        Section(name: "section \(section)", rows: old), Section(name: next, rows: others),
      ],
      after: first + [
        Section(
          name: "section \(section)",
          rows: missing > 0 ? new : Array(staying) + names(counts.inserted, "new row")),
        Section(name: next, rows: kept + gone),
      ],
      hasSections: true, reactions: [.move: [.nothing]])
  }

  // MARK: Sections

  private static func lists(
    _ before: Int, _ after: Int, _ reactions: [TableReactions.Change: [TableReactions.Reaction]]
  ) -> ScriptedTurn? {
    guard isSmall(before, after) else { return nil }
    return ScriptedTurn(
      before: (0..<before).map { section($0, ["row"]) },
      after: (0..<after).map { section($0, ["row"]) }, hasSections: true, reactions: reactions)
  }

  private static func sections(
    _ before: Int, _ after: Int, _ inserted: Int, _ deleted: Int
  ) -> ScriptedTurn? {
    guard isSmall(before, after, inserted, deleted) else { return nil }
    let missing = after - before - inserted + deleted
    var inserts = inserted
    var deletes = deleted
    var reactions: [TableReactions.Change: [TableReactions.Reaction]] = [:]
    if missing > 0, inserts == 0 {
      inserts = missing
      reactions[.sectionInsert] = [.nothing]
    } else if missing < 0, deletes == 0 {
      deletes = -missing
      reactions[.sectionDelete] = [.nothing]
    } else {
      return nil
    }
    guard deletes <= before else { return nil }
    let old = (0..<before).map { section($0, ["row"]) }
    let new =
      Array(old.dropFirst(deletes)) + (before..<before + inserts).map { section($0, ["row"]) }
    return ScriptedTurn(before: old, after: new, hasSections: true, reactions: reactions)
  }

  /// Returns a turn in which the only row of a section leaves it, or enters it.
  private static func moved(_ section: Int, isInto: Bool) -> ScriptedTurn? {
    guard isSmall(section) else { return nil }
    let traveller = "traveller"
    let others = (0...section + 1).filter { $0 != section }.map { Self.section($0, ["row"]) }
    var full = others
    full.insert(Section(name: "section \(section)", rows: [traveller]), at: section)
    var joined = others
    joined[joined.count - 1].rows.append(traveller)
    return ScriptedTurn(
      before: isInto ? joined : full, after: isInto ? full : joined, moved: [traveller],
      hasSections: true, reactions: [.move: [.moveRow]])
  }

  // MARK: Places

  /// Returns a turn in which a row passes another one.
  private static func reordered(
    _ row: Int, isTarget: Bool = false,
    _ reactions: [TableReactions.Change: [TableReactions.Reaction]], quirk: String? = nil
  ) -> ScriptedTurn? {
    guard isSmall(row) else { return nil }
    let old = names(row + 2, "row")
    var new = old
    new.swapAt(row, row + 1)
    return ScriptedTurn(
      before: [Section(name: "", rows: old)], after: [Section(name: "", rows: new)],
      updated: [], moved: [isTarget ? old[row + 1] : old[row]], hasSections: false,
      reactions: reactions, quirk: quirk)
  }

  /// Returns a turn that configures the cell of a row that no longer exists, because the row before
  /// it was deleted.
  private static func lookedUp(_ row: Int, _ section: Int) -> ScriptedTurn? {
    guard section == 0, row > 0, isSmall(row) else { return nil }
    let old = names(row + 1, "row")
    return ScriptedTurn(
      before: [Section(name: "", rows: old)],
      after: [Section(name: "", rows: Array(old.dropFirst()))],
      updated: [old[row]], hasSections: false, reactions: [.update: [.configureCell]])
  }
}
