import FetchedResults

/// Checks the callbacks of a batch without the sections before and after it.
struct LoneCallbackCheck {
  typealias Finding = (line: Int, cause: LogMistake.Cause)

  /// The first mistake; nil if there is none.
  ///
  /// - Complexity: O(*k*) for *k* callbacks.
  static func finding(_ batch: LogBatch) -> Finding? {
    // Names that are not identities may match several objects.
    let repetition = repetition(batch) { $0.contains("/") }
    return wrongPaths(batch) ?? repetition ?? samePlace(batch) ?? emptySection(batch)
  }

  /// A callback that lacks an index path, or has one that its type does not have.
  static func wrongPaths(_ batch: LogBatch) -> Finding? {
    for (line, change) in batch.objectChanges {
      let isRight =
        switch change.type {
        case .insert: change.new != nil && change.old == nil
        case .delete: change.old != nil && change.new == nil
        case .move: change.old != nil && change.new != nil
        case .update: change.old != nil
        }
      if !isRight { return (line, .wrongPaths(change)) }
    }
    return nil
  }

  /// The same callback twice, or two callbacks about one object.
  ///
  /// - Parameter isIdentity: Whether a name belongs to one object only.
  static func repetition(_ batch: LogBatch, where isIdentity: (String) -> Bool) -> Finding? {
    var lines: [LogBatch.Callback.Change: Int] = [:]
    var objects: [String: Int] = [:]
    for callback in batch.callbacks {
      if let first = lines.updateValue(callback.line, forKey: callback.change) {
        return (callback.line, .repeated(callback, firstLine: first))
      }
      guard case .object(let change) = callback.change, let object = change.object,
        isIdentity(object)
      else { continue }
      if let first = objects.updateValue(callback.line, forKey: object) {
        return (callback.line, .repeated(callback, firstLine: first))
      }
    }
    return nil
  }

  /// Two callbacks about the row of one place before the turn, or two rows that come to one place.
  private static func samePlace(_ batch: LogBatch) -> Finding? {
    var old: [ResultsIndexPath: Int] = [:]
    var new: [ResultsIndexPath: Int] = [:]
    for callback in batch.callbacks {
      guard case .object(let change) = callback.change else { continue }
      let line = callback.line
      if let path = change.old, let first = old.updateValue(line, forKey: path) {
        return (line, .repeated(callback, firstLine: first))
      }
      // Before Swift 3, an update had no new index path, and later systems repeat the old one.
      if change.type != .update, let path = change.new,
        let first = new.updateValue(line, forKey: path)
      {
        return (line, .samePlace(change, path, firstLine: first))
      }
    }
    return nil
  }

  /// An inserted section without a new row, or a deleted one without a deleted row.
  private static func emptySection(_ batch: LogBatch) -> Finding? {
    let changes = batch.objectChanges
    guard !changes.isEmpty else { return nil }
    var filled: Set<Int> = []
    var emptied: Set<Int> = []
    var updates: [Int: (line: Int, change: ObjectChange)] = [:]
    for (line, change) in changes {
      switch change.type {
      case .insert, .delete, .move:
        if change.type != .delete, let new = change.new { filled.insert(new.section) }
        if change.type != .insert, let old = change.old { emptied.insert(old.section) }
      case .update:
        if let old = change.old, updates[old.section] == nil {
          updates[old.section] = (line, change)
        }
      }
    }
    for (line, section) in batch.sectionChanges {
      let isInsert = section.type == .insert
      if (isInsert ? filled : emptied).contains(section.index) { continue }
      guard let update = updates[section.index], let path = update.change.old, isInsert else {
        return (line, .emptySection(section))
      }
      return (
        update.line,
        .moveAsUpdate(
          update.change, from: path, to: ResultsIndexPath(section: section.index, row: 0),
          isSection: true)
      )
    }
    return nil
  }
}
