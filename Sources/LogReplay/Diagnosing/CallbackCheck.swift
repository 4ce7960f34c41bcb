import FetchedResults

/// Compares the callbacks of a batch with the sections before and after it, and names the error.
///
/// The ``ReplayLaw`` decides whether there is an error. Only then is its kind determined.
struct CallbackCheck {
  typealias Section = ReplayLaw<String>.Section

  private let batch: LogBatch
  private let before: [Section]
  private let after: [Section]
  private let oldPlaces: [String: ResultsIndexPath]
  private let newPlaces: [String: ResultsIndexPath]

  init(_ batch: LogBatch, before: [Section], after: [Section]) {
    self.batch = batch
    self.before = before
    self.after = after
    oldPlaces = Self.places(before)
    newPlaces = Self.places(after)
  }

  private static func places(_ sections: [Section]) -> [String: ResultsIndexPath] {
    var places: [String: ResultsIndexPath] = [:]
    for (section, content) in sections.enumerated() {
      for (row, object) in content.rows.enumerated() {
        places[object] = ResultsIndexPath(section: section, row: row)
      }
    }
    return places
  }

  /// Returns the callbacks in the form of the replay law; nil if one lacks its object or section.
  static func changes(_ callbacks: [LogBatch.Callback]) -> [ReplayLaw<String>.Change]? {
    var changes: [ReplayLaw<String>.Change] = []
    for callback in callbacks {
      switch callback.change {
      case .object(let change):
        guard let object = change.object else { return nil }
        // Before Swift 3, an update had no new index path.
        let new = change.type == .update ? change.new ?? change.old : change.new
        changes.append(.object(change.type, object, at: change.old, newIndexPath: new))
      case .section(let change):
        guard let name = change.name else { return nil }
        changes.append(.section(change.type, index: change.index, name: name))
      }
    }
    return changes
  }

  /// The violation of the replay law; nil if the callbacks are correct.
  ///
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* callbacks.
  var breach: ReplayBreach<String>? {
    guard let changes = Self.changes(filled) else { return nil }
    return ReplayLaw(before: before, changes: changes, after: after).breach
  }

  /// The callbacks with all data that the law needs.
  ///
  /// An update with only one index path, or twice the same, gets the other one from the sections.
  private var filled: [LogBatch.Callback] {
    batch.callbacks.map { callback in
      guard case .object(let change) = callback.change, change.type == .update,
        change.new == nil || change.new == change.old, let object = change.object
      else { return callback }
      return LogBatch.Callback(
        line: callback.line,
        change: .object(
          ObjectChange(
            type: .update, object: object, old: change.old, new: newPlaces[object] ?? change.old)))
    }
  }

  /// The first error by name; nil if the callbacks are correct.
  ///
  /// - Complexity: O((*n* + *k*) log *n*) for *n* rows and *k* callbacks.
  var cause: (line: Int, cause: LogMistake.Cause)? {
    guard let breach else { return nil }
    return wrongPaths ?? repetition ?? staleSection ?? missingSection ?? stale ?? missingRow
      ?? missingMove ?? (batch.lastLine, .breach(breach))
  }

  // MARK: What one callback says

  private var wrongPaths: (Int, LogMistake.Cause)? { LoneCallbackCheck.wrongPaths(batch) }

  private var repetition: (Int, LogMistake.Cause)? {
    LoneCallbackCheck.repetition(batch) { _ in true }
  }

  private var stale: (Int, LogMistake.Cause)? {
    for (line, change) in batch.objectChanges {
      guard let object = change.object else { continue }
      if let cause = staleOldPlace(of: change) { return (line, cause) }
      // An update that replaces a move has its old index path twice.
      let isMisnamed = change.type == .update && change.new == change.old
      if let new = change.new, newPlaces[object] != new, !isMisnamed {
        return (
          line, .stale(change, path: new, found: row(at: new, in: after), actual: newPlaces[object])
        )
      }
    }
    return nil
  }

  /// The first callback whose old index path has another row, or none.
  var staleOldPlace: (line: Int, cause: LogMistake.Cause)? {
    for (line, change) in batch.objectChanges {
      if let cause = staleOldPlace(of: change) { return (line, cause) }
    }
    return nil
  }

  private func staleOldPlace(of change: ObjectChange) -> LogMistake.Cause? {
    guard let object = change.object, let old = change.old, oldPlaces[object] != old else {
      return nil
    }
    return .stale(change, path: old, found: row(at: old, in: before), actual: oldPlaces[object])
  }

  private func row(at path: ResultsIndexPath, in sections: [Section]) -> String? {
    guard sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return sections[path.section].rows[path.row]
  }

  // MARK: Sections

  private var removedNames: Set<String> { names(.delete) }
  private var insertedNames: Set<String> { names(.insert) }

  private func names(_ type: FetchedResultsChangeType) -> Set<String> {
    Set(batch.sectionChanges.filter { $0.change.type == type }.compactMap(\.change.name))
  }

  private var staleSection: (Int, LogMistake.Cause)? {
    let oldIndices = Self.indices(before)
    let newIndices = Self.indices(after)
    for (line, change) in batch.sectionChanges {
      guard let name = change.name else { continue }
      let actual = (change.type == .delete ? oldIndices : newIndices)[name]
      if actual != change.index { return (line, .staleSection(change, actual: actual)) }
    }
    return nil
  }

  private static func indices(_ sections: [Section]) -> [String: Int] {
    Dictionary(sections.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  private var missingSection: (Int, LogMistake.Cause)? {
    let removed = removedNames
    let inserted = insertedNames
    let oldNames = Set(before.map(\.name))
    let newNames = Set(after.map(\.name))
    for (index, section) in before.enumerated()
    where !removed.contains(section.name)
      && (!newNames.contains(section.name) || inserted.contains(section.name))
    {
      return (batch.lastLine, .missingSection(.delete, index: index, name: section.name))
    }
    for (index, section) in after.enumerated()
    where !inserted.contains(section.name)
      && (!oldNames.contains(section.name) || removed.contains(section.name))
    {
      return (batch.lastLine, .missingSection(.insert, index: index, name: section.name))
    }
    // Sections that stay keep their order. Otherwise one of them is deleted and inserted.
    let kept = before.map(\.name).filter { !removed.contains($0) }
    let staying = after.map(\.name).filter { !inserted.contains($0) }
    guard let place = zip(kept, staying).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
      return nil
    }
    let name = staying[place]
    let index = before.firstIndex { $0.name == name } ?? place
    return (batch.lastLine, .missingSection(.delete, index: index, name: name))
  }

  // MARK: Rows

  private var told: Set<String> { Set(batch.objectChanges.compactMap(\.change.object)) }

  private var missingRow: (Int, LogMistake.Cause)? {
    let told = told
    for section in before {
      for object in section.rows where newPlaces[object] == nil && !told.contains(object) {
        return (batch.lastLine, .missing(object: object, from: oldPlaces[object], to: nil))
      }
    }
    for section in after {
      for object in section.rows where oldPlaces[object] == nil && !told.contains(object) {
        return (batch.lastLine, .missing(object: object, from: nil, to: newPlaces[object]))
      }
    }
    return nil
  }

  /// A row without a move callback that passed another such row, or changed its section.
  private var missingMove: (Int, LogMistake.Cause)? {
    var moved: Set<String> = []
    var updates: [String: (line: Int, change: ObjectChange)] = [:]
    for (line, change) in batch.objectChanges {
      guard let object = change.object else { continue }
      switch change.type {
      case .insert, .delete, .move: moved.insert(object)
      case .update: updates[object] = (line, change)
      }
    }
    // An update with the correct new index path belongs to a row that kept its order.
    func weight(_ object: String) -> Int {
      guard let update = updates[object]?.change else { return 2 }
      return update.new == newPlaces[object] ? 3 : 1
    }
    let removed = removedNames
    let inserted = insertedNames
    for section in after {
      let staying = section.rows.filter { !moved.contains($0) }
      // Rows that came from another section, or from one that is deleted and inserted, had to move.
      let strangers = staying.filter { object in
        guard let old = oldPlaces[object] else { return true }
        let name = before[old.section].name
        return name != section.name || removed.contains(name) || inserted.contains(section.name)
      }
      let own = staying.filter { !strangers.contains($0) }
      let passers = LongestOrder.leftOut(
        of: own, place: { oldPlaces[$0]?.row ?? 0 }, weight: weight)
      let candidates = strangers + passers
      // An update instead of a move is a more useful report than a missing callback.
      guard let object = candidates.min(by: { weight($0) < weight($1) }),
        let from = oldPlaces[object], let to = newPlaces[object]
      else { continue }
      guard let update = updates[object] else {
        return (batch.lastLine, .missing(object: object, from: from, to: to))
      }
      return (
        update.line,
        .moveAsUpdate(update.change, from: from, to: to, isSection: strangers.contains(object))
      )
    }
    return nil
  }
}

/// Finds the rows that must have moved, if as many rows as possible kept their order.
enum LongestOrder {
  /// Returns the elements outside the heaviest subsequence with ascending places.
  ///
  /// - Parameter weight: Returns an element's weight, which is at least 1.
  /// - Complexity: O(*n* log *n*).
  static func leftOut(
    of elements: [String], place: (String) -> Int, weight: (String) -> Int
  ) -> [String] {
    let places = elements.map(place)
    guard zip(places, places.dropFirst()).contains(where: { $0 >= $1 }) else { return [] }
    let ranks = Dictionary(Set(places).sorted().enumerated().map { ($1, $0 + 1) }) { first, _ in
      first
    }
    // best[r]: the heaviest subsequence that ends at a rank, as a tree of maxima.
    var best = [(weight: Int, last: Int)](repeating: (0, -1), count: ranks.count + 1)
    var previous = [Int](repeating: -1, count: elements.count)
    var heaviest = (weight: 0, last: -1)
    for (index, element) in elements.enumerated() {
      let rank = ranks[places[index]] ?? 1
      var found = (weight: 0, last: -1)
      var position = rank - 1
      while position > 0 {
        if best[position].weight > found.weight { found = best[position] }
        position -= position & -position
      }
      previous[index] = found.last
      let total = (weight: found.weight + weight(element), last: index)
      if total.weight > heaviest.weight { heaviest = total }
      position = rank
      while position <= ranks.count {
        if total.weight > best[position].weight { best[position] = total }
        position += position & -position
      }
    }
    var kept: Set<Int> = []
    var place = heaviest.last
    while place >= 0 {
      kept.insert(place)
      place = previous[place]
    }
    return elements.indices.filter { !kept.contains($0) }.map { elements[$0] }
  }
}

/// Checks the callbacks of a batch without the sections before and after it.
struct LoneCallbackCheck {
  typealias Finding = (line: Int, cause: LogMistake.Cause)

  /// The first mistake; nil if there is none.
  ///
  /// - Complexity: O(*k*) for *k* callbacks.
  static func finding(_ batch: LogBatch) -> Finding? {
    // Names that are not identities may match several objects.
    let repetition = repetition(batch) { $0.contains("/") }
    return wrongPaths(batch) ?? repetition ?? samePlace(batch)
      // Callbacks about a section's rows may come after the end of the log.
      ?? (batch.isFinished ? emptySection(batch) : nil)
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
