package import FetchedResults
package import ScriptRuntime
import TableViews

/// Examines the batches one by one, and keeps each controller's sections between them.
struct BatchExaminer {
  private var listings: ArraySlice<BatchBuilder.Listing>
  private let openLine: Int?
  /// The sections of each controller, as far as they are known.
  private var known: [String: Known] = [:]

  private struct Known {
    let sections: LoggedSections
    /// Whether the log lists them.
    ///
    /// If not, they follow from callbacks.
    let isLogged: Bool
    let isCertain: Bool
  }

  /// The controllers whose table does not show their sections.
  private var broken: Set<String> = []
  private var tabled: Set<String> = []

  /// How many batches were compared with their sections or their numbers of rows.
  private(set) var comparedBatches = 0
  /// The possible mistakes that a line explains that was not understood.
  private(set) var unread: [(line: Int, unread: Int)] = []
  /// How many batches had no known sections to compare with.
  private(set) var unknownBatches = 0
  private(set) var hasUnnamedRows = false
  /// The lines of batches whose operations could not be checked.
  private(set) var unknownTables: [Int] = []
  /// The lines of possible mistakes, which a fetch that is not in the log may explain.
  private(set) var doubtful: [Int] = []

  /// The line of the first batch whose sections were not followed, because there are too many.
  private(set) var stoppedLine: Int?
  /// How many rows and sections may still be followed from batch to batch.
  private var rowsLeft: Int

  /// - Parameters:
  ///   - openLine: The last line of the log, if a part of it may be missing.
  ///   - rows: How many rows and sections that the log does not list are followed.
  init(_ listings: [BatchBuilder.Listing], openLine: Int?, following rows: Int) {
    self.listings = listings[...]
    self.openLine = openLine
    rowsLeft = rows
  }

  /// Examines a batch.
  ///
  /// Call it in the order of the log.
  ///
  /// - Parameters:
  ///   - isPartial: Whether the beginning of the batch is missing in the log.
  ///   - isSkipped: Whether the batch is already known to be wrong.
  ///   - isCut: Whether operations of the batch may come in a part of the log that was not read.
  mutating func examine(
    _ batch: inout LogBatch, at index: Int, isPartial: Bool, isSkipped: Bool, isCut: Bool
  ) -> [LogMistake] {
    takeListings(until: index)
    let name = batch.controller
    complete(&batch)
    // A line that was not understood may be a callback.
    let after = batch.after ?? (batch.unreadLines.isEmpty ? implied(by: batch) : nil)
    known[name] = after.map { sections in
      Known(
        sections: sections, isLogged: batch.after != nil,
        isCertain: batch.after != nil || batch.isCertain)
    }
    var mistake: LogMistake?
    let isWhole = !isPartial && !isSkipped && !batch.enclosesBatch
    if isWhole, !batch.isFinished {
      mistake = beginningMistake(batch, at: index)
    } else if isWhole {
      let compared = comparedBatches
      mistake = callbackMistake(batch, at: index, after)
      if batch.endsInUpdates {
        // As little is known of it as of a batch without controllerDidChangeContent.
        comparedBatches = compared
      } else if mistake == nil, !isCut {
        mistake = tableMistake(&batch, at: index, after)
      }
    }
    if let line = batch.unreadLines.first, let found = mistake, found.cause.isAbsence {
      unread.append((found.line, line))
      mistake = nil
      broken.insert(name)
    }
    follow(batch, mistake)
    return mistake.map { [$0] } ?? []
  }

  private mutating func takeListings(until index: Int) {
    while let listing = listings.first, listing.batches <= index {
      known[listing.controller] = Known(
        sections: listing.sections, isLogged: true, isCertain: listing.isFetch)
      listings.removeFirst()
    }
  }

  /// Adds the sections before a batch.
  private mutating func complete(_ batch: inout LogBatch) {
    let earlier = known[batch.controller]
    if let logged = batch.before {
      batch.isCertain = true
      if let earlier, earlier.isLogged, earlier.isCertain, !earlier.sections.isSame(as: logged) {
        batch.followsSilentChange = true
        broken.insert(batch.controller)
      }
    } else if let earlier, follows(earlier.sections.size, batch) {
      batch.before = earlier.sections
      batch.isCertain = earlier.isCertain
    }
  }

  /// Returns whether sections may be followed that the log does not list again.
  private mutating func follows(_ size: Int, _ batch: LogBatch) -> Bool {
    guard size <= rowsLeft else {
      stoppedLine = stoppedLine ?? batch.firstLine
      return false
    }
    rowsLeft -= size
    return true
  }

  /// Returns the sections after a batch by applying its callbacks; nil if they do not fit.
  private func implied(by batch: LogBatch) -> LoggedSections? {
    guard let before = batch.before?.rows, let changes = CallbackCheck.changes(batch.callbacks),
      !batch.enclosesBatch,
      let after = try? ReplayLaw<String>.sections(after: changes, from: before)
    else { return nil }
    return LoggedSections(
      sections: after.map {
        LoggedSections.Section(name: $0.name, count: $0.rows.count, objects: $0.rows)
      })
  }

  // MARK: Callbacks

  private mutating func callbackMistake(
    _ batch: LogBatch, at index: Int, _ after: LoggedSections?
  ) -> LogMistake? {
    func mistake(_ found: (line: Int, cause: LogMistake.Cause)) -> LogMistake {
      LogMistake(line: found.line, controller: batch.controller, cause: found.cause, batch: index)
    }
    guard let before = batch.before else {
      unknownBatches += 1
      return LoneCallbackCheck.finding(batch).map(mistake)
    }
    if let rows = before.rows, CallbackCheck.changes(batch.callbacks) != nil {
      comparedBatches += 1
      if let after = batch.after?.rows {
        return CallbackCheck(batch, before: rows, after: after).cause.map(mistake)
      }
      return carryingOut(batch, rows).map(mistake)
    }
    hasUnnamedRows = true
    if let found = LoneCallbackCheck.finding(batch) { return mistake(found) }
    guard let after = batch.after ?? after else { return oldPlaceMistake(batch).map(mistake) }
    guard before.isSmall, after.isSmall, batch.isCertain || batch.after != nil else { return nil }
    comparedBatches += 1
    guard
      let error = ReactionSearch.raised(
        by: batch.callbacks, CountedSections(before: before.counts, after: after.counts),
        TableReactions([.update: [.nothing]]))
    else { return nil }
    return mistake((batch.lastLine, .numbers(error)))
  }

  /// Without the sections after the batch, the callbacks can still fail to apply to those before
  /// it.
  private mutating func carryingOut(
    _ batch: LogBatch, _ rows: [ReplayLaw<String>.Section]
  ) -> (line: Int, cause: LogMistake.Cause)? {
    guard let changes = CallbackCheck.changes(batch.callbacks) else { return nil }
    do {
      _ = try ReplayLaw<String>.sections(after: changes, from: rows)
      return nil
    } catch {
      if let found = LoneCallbackCheck.finding(batch) { return found }
      if batch.isCertain { return (batch.lastLine, .breach(error)) }
      doubtful.append(batch.lastLine)
      return nil
    }
  }

  /// Returns the mistake in a batch whose end the log does not have, whatever may follow in it.
  private func beginningMistake(_ batch: LogBatch, at index: Int) -> LogMistake? {
    var batch = batch
    batch.callbacks.removeAll { $0.line == openLine }
    guard let found = LoneCallbackCheck.finding(batch) ?? oldPlaceMistake(batch) else { return nil }
    return LogMistake(
      line: found.line, controller: batch.controller, cause: found.cause, batch: index)
  }

  /// A callback about a row that was not at its old place.
  private func oldPlaceMistake(_ batch: LogBatch) -> (line: Int, cause: LogMistake.Cause)? {
    guard batch.isCertain, let before = batch.before else { return nil }
    if let rows = before.rows, CallbackCheck.changes(batch.callbacks) != nil {
      return CallbackCheck(batch, before: rows, after: rows).staleOldPlace
    }
    let counts = before.counts
    for (line, change) in batch.objectChanges where change.type == .delete || change.type == .move {
      guard let old = change.old else { continue }
      guard counts.indices.contains(old.section) else {
        let error = TableUpdateError.deletedRowWithoutSection(old, sections: counts.count)
        return (line, .numbers(error))
      }
      guard counts[old.section] > old.row else {
        return (line, .numbers(.deletedRowMissing(old, rows: counts[old.section])))
      }
    }
    return nil
  }

  // MARK: Tables

  private mutating func tableMistake(
    _ batch: inout LogBatch, at index: Int, _ after: LoggedSections?
  ) -> LogMistake? {
    guard !batch.operations.isEmpty else { return nil }
    batch.tableIsBroken = broken.contains(batch.controller)
    guard !batch.tableIsBroken else {
      if batch.operations.last?.operation != .reloadData { unknownTables.append(batch.firstLine) }
      return nil
    }
    guard let before = batch.before else { return lone(batch, at: index) }
    guard let after, before.isSmall, after.isSmall else { return nil }
    let check = TableCheck(
      batch, CountedSections(before: before.counts, after: after.counts), before: before.rows,
      after: after.rows)
    guard let found = check.finding else { return nil }
    // If the log's exception is the one that follows from these sections, they are correct.
    guard batch.isCertain || found.consequence.map({ $0 == batch.exception?.error }) == true else {
      doubtful.append(found.line)
      return nil
    }
    return LogMistake(
      line: found.line, controller: batch.controller, cause: found.cause, batch: index,
      consequence: found.consequence)
  }

  /// Compares the operations with the callbacks of a batch without sections.
  ///
  /// Whatever the numbers of rows are, the operations must change them as the callbacks do.
  private mutating func lone(_ batch: LogBatch, at index: Int) -> LogMistake? {
    guard !batch.callbacks.isEmpty, let counts = CountedSections.ample(for: batch),
      follows(counts.before.count, batch),
      let found = TableCheck(batch, counts, before: nil, after: nil).finding
    else { return nil }
    switch found.cause {
    case .missingOperation, .staleOperation, .repeatedOperation, .unaskedOperation,
      .reloadForMove, .operationOutside, .unfinishedUpdates:
      // The exception would have made-up numbers.
      return LogMistake(
        line: found.line, controller: batch.controller, cause: found.cause, batch: index)
    case .stale, .staleSection, .missing, .missingSection, .emptySection, .repeated, .samePlace,
      .moveAsUpdate, .wrongPaths, .outsideBatch, .unfinishedBatch, .breach, .numbers, .clash,
      .wrongRow, .exception, .reactions, .noReturn:
      return nil
    }
  }

  /// Notes whether the table still shows its controller's sections.
  private mutating func follow(_ batch: LogBatch, _ mistake: LogMistake?) {
    let name = batch.controller
    if batch.operations.contains(where: { $0.operation == .reloadData }) {
      tabled.insert(name)
      broken.remove(name)
    }
    if !batch.operations.isEmpty {
      tabled.insert(name)
    } else if !batch.callbacks.isEmpty {
      // A table without operations is suspended, or no longer follows its controller.
      broken.insert(name)
    }
    if mistake != nil || batch.exception != nil { broken.insert(name) }
  }

  // MARK: Exceptions

  /// Returns the numbers of rows before and after a batch, from the log or an exception in it.
  static func counts(of batch: LogBatch, _ error: TableUpdateError) -> CountedSections? {
    if batch.before?.isSmall != false, batch.after?.isSmall != false,
      let before = batch.before?.counts,
      let after = batch.after?.counts
        ?? CountedSections.counts(after: batch.callbacks, from: before)
    {
      return CountedSections(before: before, after: after)
    }
    return CountedSections.implied(by: batch.callbacks, error)
  }
}

extension LogBatch {
  /// Returns the rules that may have sent a callback, as far as the log shows.
  package func rules(of change: Callback.Change) -> [Rule] {
    switch change {
    case .section(let change): rules(of: change)
    case .object(let change): rules(of: change)
    }
  }

  private func rules(of change: SectionChange) -> [Rule] {
    let isReordered = sectionChanges.contains { other in
      other.change.name != nil && other.change.name == change.name
        && other.change.type != change.type
    }
    if isReordered { return [.sectionReordered] }
    return change.type == .insert ? [.sectionFilled] : [.sectionEmptied]
  }

  private func rules(of change: ObjectChange) -> [Rule] {
    switch change.type {
    case .insert: [.created, .startedMatching]
    case .delete: [.deleted, .stoppedMatching]
    case .update: [.keptPlace]
    case .move: moveRules(from: change.old, to: change.new)
    }
  }

  /// Returns the rules that can move a row.
  package func moveRules(
    from old: ResultsIndexPath?, to new: ResultsIndexPath?
  ) -> [Rule] {
    guard let old, let new else { return [] }
    if let before = before?.sections, let after = after?.sections,
      before.indices.contains(old.section), after.indices.contains(new.section)
    {
      if before[old.section].name != after[new.section].name { return [.changedSection] }
    } else if sectionChanges.isEmpty, old.section != new.section {
      return [.changedSection]
    } else if !sectionChanges.isEmpty {
      return [.changedSection, .passedUnchanged, .passedChanged]
    }
    if old == new, sectionChanges.isEmpty { return [.samePathMove] }
    guard let passed = passedRows(from: old, to: new) else {
      return [.passedUnchanged, .passedChanged]
    }
    let updated = Set(
      objectChanges.filter { $0.change.type == .update }.compactMap(\.change.object))
    return passed.isSubset(of: updated) && !passed.isEmpty ? [.passedChanged] : [.passedUnchanged]
  }

  /// Returns the rows of a section that were before a row and are now after it, or the reverse.
  private func passedRows(
    from old: ResultsIndexPath, to new: ResultsIndexPath
  ) -> Set<String>? {
    guard let before = before?.rows, let after = after?.rows,
      before.indices.contains(old.section), after.indices.contains(new.section)
    else { return nil }
    let oldRows = before[old.section].rows
    let newRows = after[new.section].rows
    guard oldRows.indices.contains(old.row), newRows.indices.contains(new.row) else { return nil }
    let down = Set(oldRows[(old.row + 1)...]).intersection(newRows[..<new.row])
    let up = Set(oldRows[..<old.row]).intersection(newRows[(new.row + 1)...])
    return down.union(up)
  }
}
