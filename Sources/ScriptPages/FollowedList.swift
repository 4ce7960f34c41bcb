import FetchedResults

/// A controller's list, as it was when it was last read.
///
/// If the controller has a delegate, only rows are read whose objects have changed. So a statement
/// costs what it changes, and not what the controller shows.
final class FollowedList {
  private var head: ListHead?
  /// The rows; nil before the first fetch.
  private var image: ResultsImage?
  private var isSectioned = false
  private var texts: [Int64: RowText] = [:]
  /// What the texts were made of; nil before the first time.
  private var source: (context: FollowedContext, entity: EntityDescription, sectionKey: String?)?
  /// How many changed objects of the context were seen.
  private var seen = 0
  /// The objects that were in the middle of a change then.
  private var open: [ManagedObject] = []
  /// The rows whose texts can change although no object changes, such as faults.
  private var unsettled: Set<Int64> = []
  /// The object of another row: the context forgets it if it is reset.
  private var witness: ManagedObject?

  /// Reads a controller, and returns what changed since the last time.
  ///
  /// - Complexity: O((*k* + *f*) log *n* + *s*) for *n* rows in *s* sections, of which *k* have
  ///   changed and *f* are faults; O(*n*) after a fetch, and without a delegate.
  func takeChange(
    of controller: FetchedResultsController, head: ListHead, _ context: FollowedContext
  ) -> ListChange {
    var change = ListChange()
    if self.head != head { change.head = head }
    self.head = head
    let now = controller.image(after: image)
    let parts = takeParts(now, isSectioned: controller.sectionNameKeyPath != nil)
    change.edits = [ListEdit](from: parts.old, to: parts.new)
    forgetTexts(of: parts.old, but: parts.new)
    let entity = (controller.fetchedRequest ?? controller.fetchRequest).entity
    let sectionKey = controller.sectionNameKeyPath
    var numbers: [Int64] = []
    if controller.delegate != nil, let source, source.context === context,
      source.entity === entity, source.sectionKey == sectionKey,
      let changed = context.touched(since: seen),
      keepsObjects(controller.managedObjectContext, entity.root)
    {
      numbers = rowsToRead(parts.new, changed + open, entity.root)
    } else {
      now?.rows.forEachItem { numbers.append($0) }
      witness = nil
    }
    source = (context, entity, sectionKey)
    (seen, open) = context.place
    read(numbers, in: controller.managedObjectContext, entity, sectionKey, &change)
    return change
  }

  /// Whether the context still has the objects whose texts were read: it was not reset.
  private func keepsObjects(_ context: ManagedObjectContext, _ root: EntityDescription) -> Bool {
    if unsettled.count == texts.count { return true }
    if let witness, texts[witness.objectID.number] != nil {
      return context.registered(witness.objectID.number, in: root) === witness
    }
    guard let rows = image?.rows else { return false }
    for rank in [0, rows.count / 2, rows.count - 1] {
      guard let number = rows.item(at: rank), texts[number] != nil, !unsettled.contains(number)
      else { continue }
      witness = context.registered(number, in: root)
      return witness != nil
    }
    return false
  }

  /// Takes the rows as known, and returns the old and the new ones in parts; none if they are the
  /// same.
  private func takeParts(
    _ now: ResultsImage?, isSectioned: Bool
  ) -> (old: [ListPart], new: [ListPart]) {
    let old = image
    let wasSectioned = self.isSectioned
    image = now
    self.isSectioned = isSectioned
    guard let old else { return ([], now?.parts(of: nil, withHeaders: isSectioned) ?? []) }
    guard let now else { return (old.parts(of: nil, withHeaders: wasSectioned), []) }
    if old.rows === now.rows, old.sections === now.sections, wasSectioned == isSectioned {
      return ([], [])
    }
    let rows = ResultsImage.Rows.parts(of: old.rows, and: now.rows)
    return (
      old.parts(of: rows.one, withHeaders: wasSectioned),
      now.parts(of: rows.other, withHeaders: isSectioned)
    )
  }

  /// Forgets the texts of rows that are gone.
  private func forgetTexts(of old: [ListPart], but new: [ListPart]) {
    var gone = Set(old.compactMap(\.row))
    gone.subtract(new.compactMap(\.row))
    for number in gone {
      texts[number] = nil
      unsettled.remove(number)
    }
  }

  /// The rows that are new, that changed, and that can change at any time.
  private func rowsToRead(
    _ parts: [ListPart], _ changed: [ManagedObject], _ root: EntityDescription
  ) -> [Int64] {
    var numbers = parts.compactMap(\.row).filter { texts[$0] == nil }
    for object in changed where object.entity.root === root {
      let number = object.objectID.number
      if texts[number] != nil { numbers.append(number) }
    }
    return numbers + unsettled.sorted()
  }

  private func read(
    _ numbers: [Int64], in context: ManagedObjectContext, _ entity: EntityDescription,
    _ sectionKey: String?, _ change: inout ListChange
  ) {
    // A list that is dropped need not be read to its end.
    var stop = StopCheck.Loop(droppingOver: numbers.count)
    for number in numbers {
      if stop.isWanted(after: 32) { return }
      let text = context.rowText(of: number, of: entity, besides: sectionKey)
      let object = context.registered(number, in: entity.root)
      if let object, !object.isFault, !object.isDeleted, !object.entity.hasExpressions {
        unsettled.remove(number)
      } else {
        unsettled.insert(number)
      }
      guard texts.updateValue(text, forKey: number) != text else { continue }
      change.texts.append((RowKey(number: number), text))
    }
  }
}

/// The objects of a context that changed, and its unsaved objects.
final class FollowedContext {
  private weak var context: ManagedObjectContext?
  private let changed = TouchedObjects()
  /// The objects that were in the middle of a change when unsaved objects were counted.
  private var open: [ManagedObject] = []
  private var kinds: [ObjectIdentifier: Kind] = [:]
  /// How many unsaved objects were counted, and the last of them.
  private var counted: (count: Int, last: ManagedObject?) = (0, nil)
  private var counts: [Kind: Int] = [:]

  /// How an unsaved object counts.
  private enum Kind {
    case inserted
    case updated
    case deleted
    /// It was inserted and deleted since the last save.
    case nothing

    init(_ object: ManagedObject) {
      self =
        object.isInserted
        ? .inserted
        : object.isUpdated ? .updated : object.isUnsavedDeletion ? .deleted : .nothing
    }
  }

  /// Starts to follow a context; a list that followed it before no longer does.
  init(_ context: ManagedObjectContext) {
    self.context = context
    context.touchedObjects = changed
  }

  func isFollowing(_ context: ManagedObjectContext) -> Bool {
    self.context === context && context.touchedObjects === changed
  }

  /// How many objects have changed, and the objects in the middle of a change.
  var place: (changed: Int, open: [ManagedObject]) {
    (changed.count, context?.unprocessedObjects ?? [])
  }

  /// The objects that changed since, and those in the middle of a change; nil if some are
  /// forgotten.
  func touched(since place: Int) -> [ManagedObject]? {
    changed.objects(since: place).map { $0 + (context?.unprocessedObjects ?? []) }
  }

  /// Counts the unsaved objects, and forgets which objects have changed.
  ///
  /// - Complexity: O(*k*) for *k* changed objects; O(*u*) for *u* unsaved ones if one of them was
  ///   saved.
  func takeUnsavedCounts() -> UnsavedCounts {
    guard let context else { return UnsavedCounts() }
    let unsaved = context.unsavedObjects
    if counted.count > unsaved.count
      || counted.count > 0 && unsaved[counted.count - 1] !== counted.last
    {
      (kinds, counts, counted) = ([:], [:], (0, nil))
    }
    var stop = StopCheck.Loop(droppingOver: changed.kept.count + unsaved.count)
    for object in changed.kept + open where kinds[ObjectIdentifier(object)] != nil {
      if stop.isWanted(after: 8) { break }
      count(object)
    }
    for object in unsaved[counted.count...] {
      if stop.isWanted(after: 8) { break }
      count(object)
    }
    counted = (unsaved.count, unsaved.last)
    open = context.unprocessedObjects
    changed.forget()
    return UnsavedCounts(
      inserted: counts[.inserted, default: 0], updated: counts[.updated, default: 0],
      deleted: counts[.deleted, default: 0])
  }

  private func count(_ object: ManagedObject) {
    let kind = Kind(object)
    if let old = kinds.updateValue(kind, forKey: ObjectIdentifier(object)) {
      counts[old, default: 0] -= 1
    }
    counts[kind, default: 0] += 1
  }
}

// MARK: - Parts

/// A part of a list: an item, or rows that another list shares.
enum ListPart: Hashable {
  case item(ListItem)
  case shared(SharedRows)

  /// How many items the part has.
  var count: Int {
    switch self {
    case .item: 1
    case .shared(let shared): shared.range.count
    }
  }

  var items: [ListItem] {
    switch self {
    case .item(let item): [item]
    case .shared(let shared): shared.items
    }
  }

  /// The object's number of a row that is a part by itself.
  var row: Int64? {
    if case .item(.row(let key)) = self { key.number } else { nil }
  }
}

/// Rows next to one another in a part that two images share.
struct SharedRows: Hashable {
  let image: ResultsImage.Rows
  let range: Range<Int>

  var items: [ListItem] {
    range.compactMap { rank in image.item(at: rank).map { .row(RowKey(number: $0)) } }
  }

  static func == (one: Self, other: Self) -> Bool {
    one.image === other.image && one.range == other.range
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(image))
    hasher.combine(range)
  }
}

extension ResultsImage {
  /// The list in parts.
  ///
  /// - Parameters:
  ///   - rows: The rows in parts; nil if none are shared.
  ///   - hasHeaders: Whether the list shows the names of sections.
  /// - Complexity: O(*s* + *k*) for *s* sections and *k* parts.
  fileprivate func parts(of rows: [Rows.Part]?, withHeaders hasHeaders: Bool) -> [ListPart] {
    var parts: [ListPart] = []
    guard let rows else {
      var rest = allNumbers[...]
      sections.forEachItem { section in
        if hasHeaders { parts.append(.item(.section(section.name.string))) }
        for number in rest.prefix(section.rowCount) {
          parts.append(.item(.row(RowKey(number: number))))
        }
        rest = rest.dropFirst(section.rowCount)
      }
      return parts
    }
    var place = 0
    // How many rows of the part at the place belong to the sections before.
    var used = 0
    sections.forEachItem { section in
      if hasHeaders { parts.append(.item(.section(section.name.string))) }
      var rest = section.rowCount
      while rest > 0, place < rows.count {
        let taken = Swift.min(rest, rows[place].count - used)
        switch rows[place] {
        case .item(let number): parts.append(.item(.row(RowKey(number: number))))
        case .shared(let image):
          parts.append(.shared(SharedRows(image: image, range: used..<used + taken)))
        }
        rest -= taken
        used += taken
        if used == rows[place].count { (place, used) = (place + 1, 0) }
      }
    }
    return parts
  }

  private var allNumbers: [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(rows.count)
    rows.forEachItem { numbers.append($0) }
    return numbers
  }
}
