import FetchedResults
import ScriptRuntime
import TableViews

/// Reads what controllers and tables show, and returns what changed since the last time.
///
/// Reading has no side effects: it fires no fault, makes no object and asks no delegate for an
/// index title.
final class ListSampler {
  /// A table or an observer's list, which is read whole.
  private struct List {
    var head: ListHead
    var items: [ListItem]
    var texts: [RowKey: RowText]
    /// The marks of a table.
    var marks = TableMarks()
  }

  private var lists: [String: List] = [:]
  /// The lists of controllers.
  private var followed: [String: FollowedList] = [:]
  private var contexts: [ObjectIdentifier: FollowedContext] = [:]
  private var unsaved: [String: UnsavedCounts] = [:]

  /// Returns the changes of all controllers and tables.
  func changes(in session: Session) -> ListChanges {
    var changes = ListChanges()
    let present = Set(session.controllerNames + session.tableNames)
    let known = Set(lists.keys).union(followed.keys)
    for name in known.subtracting(present).sorted() {
      lists[name] = nil
      followed[name] = nil
      changes.lists.append((name, nil))
    }
    for name in session.controllerNames {
      if let binding = session.controllers[name] { take(binding, in: session, &changes) }
    }
    for name in session.tableNames {
      if let table = session.tables[name] {
        take(Self.list(of: table, in: session), name, &changes)
      }
    }
    for (name, context) in session.contexts {
      let counts = following(context).takeUnsavedCounts()
      guard unsaved[name] ?? UnsavedCounts() != counts else { continue }
      unsaved[name] = counts
      changes.unsaved.append((name, counts))
    }
    return changes
  }

  /// Returns the changes of one controller and of the tables that show it.
  func changes(ofController name: String, in session: Session) -> ListChanges {
    var changes = ListChanges()
    guard let binding = session.controllers[name] else { return changes }
    take(binding, in: session, &changes)
    for table in session.tableNames {
      guard let shown = session.tables[table], shown.controller === binding else { continue }
      take(Self.list(of: shown, in: session), table, &changes)
    }
    return changes
  }

  /// Returns the changes of one table.
  func changes(ofTable name: String, in session: Session) -> ListChanges {
    var changes = ListChanges()
    if let table = session.tables[name] {
      take(Self.list(of: table, in: session), name, &changes)
    }
    return changes
  }

  private func take(_ now: List, _ name: String, _ changes: inout ListChanges) {
    let old = lists[name]
    var change = ListChange()
    if old?.head != now.head { change.head = now.head }
    change.edits = [ListEdit](from: old?.items ?? [], to: now.items)
    for case .row(let key) in now.items {
      guard let text = now.texts[key], text != old?.texts[key] else { continue }
      change.texts.append((key, text))
    }
    if now.marks != old?.marks ?? TableMarks() { change.marks = now.marks }
    lists[name] = now
    if !change.isEmpty { changes.lists.append((name, change)) }
  }

  /// What is known of a context's objects.
  private func following(_ context: ManagedObjectContext) -> FollowedContext {
    if let known = contexts[ObjectIdentifier(context)], known.isFollowing(context) { return known }
    let new = FollowedContext(context)
    contexts[ObjectIdentifier(context)] = new
    return new
  }

  // MARK: Controllers

  private func take(
    _ binding: ControllerBinding, in session: Session, _ changes: inout ListChanges
  ) {
    let name = binding.name
    let isOther = binding.observer == nil ? lists[name] != nil : followed[name] != nil
    if isOther {
      // A controller took the name of an observer, or the reverse.
      lists[name] = nil
      followed[name] = nil
      changes.lists.append((name, nil))
    }
    guard binding.observer == nil else {
      return take(Self.list(ofObserver: binding, in: session), name, &changes)
    }
    let list = followed[name] ?? FollowedList()
    followed[name] = list
    let change = list.takeChange(
      of: binding.controller, head: Self.head(of: binding, in: session),
      following(binding.controller.managedObjectContext))
    if !change.isEmpty { changes.lists.append((name, change)) }
  }

  private static func head(of binding: ControllerBinding, in session: Session) -> ListHead {
    let controller = binding.controller
    let context = session.contexts.first { $0.context === controller.managedObjectContext }
    var head = ListHead(
      context: context?.name ?? "another context", isObserver: binding.observer != nil)
    if binding.sections == nil {
      head.state = "not fetched"
    } else if controller.trackingError != nil {
      head.state = "no longer tracks changes"
    }
    return head
  }

  private static func list(ofObserver binding: ControllerBinding, in session: Session) -> List {
    let controller = binding.controller
    var list = List(head: head(of: binding, in: session), items: [], texts: [:])
    let entity = (controller.fetchedRequest ?? controller.fetchRequest).entity
    guard let sections = binding.sections else { return list }
    for section in sections {
      if controller.sectionNameKeyPath != nil { list.items.append(.section(section.name)) }
      for number in section.objects.numbers {
        let key = RowKey(number: number)
        list.items.append(.row(key))
        list.texts[key] = controller.managedObjectContext.rowText(
          of: number, of: entity, besides: controller.sectionNameKeyPath)
      }
    }
    return list
  }

  // MARK: Tables

  private static func list(of binding: TableBinding, in session: Session) -> List {
    let shown = ShownTable(binding)
    let controller = binding.controller.controller
    let context = session.contexts.first { $0.context === controller.managedObjectContext }
    var list = List(
      head: ListHead(
        context: context?.name ?? "another context", controller: shown.controller,
        state: state(of: shown)),
      items: [], texts: [:])
    var repetitions: [Int64: Int] = [:]
    for line in shown.lines {
      guard line.mark != .deleted || shown.recorded != nil else {
        list.marks.gone.append(gone(line))
        continue
      }
      defer {
        if let mark = line.mark, let item = list.items.last {
          list.marks.items.append((item, mark))
        }
      }
      switch line.kind {
      case .header(let title): list.items.append(.section(title))
      case .row(_, let object):
        let key = RowKey(
          number: object.id.number, repetition: repetitions[object.id.number, default: 0])
        repetitions[object.id.number, default: 0] += 1
        list.items.append(.row(key))
        list.texts[key] = RowText(
          object: object.id.description, text: object.display?.description,
          remark: line.staleness)
      }
    }
    return list
  }

  private static func gone(_ line: ShownTable.Line) -> TableMarks.Gone {
    switch line.kind {
    case .header(let title): TableMarks.Gone(text: title)
    case .row(let path, let object):
      TableMarks.Gone(
        path: path, object: object.id.description, text: object.display?.description)
    }
  }

  private static func state(of table: ShownTable) -> String? {
    if table.isBroken { return "raised an exception" }
    if table.isDetached { return "is not the controller's delegate" }
    return table.isSuspended ? "suspended" : nil
  }
}

extension ManagedObjectContext {
  /// Returns what a row shows, as far as it is known without reading the object.
  ///
  /// An object of a sub-entity is shown as its own entity says.
  func rowText(
    of number: Int64, of entity: EntityDescription, besides sectionKey: String?
  ) -> RowText {
    var context: ManagedObjectContext? = self
    while let current = context {
      if let object = current.registered(number, in: entity.root) {
        guard object.isFault else {
          let shown = ShownObject(
            object, attribute: object.entity.shownAttribute(besides: sectionKey))
          return RowText(object: object.objectID.description, text: shown.display?.shownText)
        }
        let index = object.entity.shownAttribute(besides: sectionKey)
          .flatMap { object.entity.propertyIndex(named: $0) }
        return RowText(
          object: object.objectID.description,
          text: index.flatMap { index in object.savedSnapshot.map { $0[index].shownText } },
          remark: "fault")
      }
      context = current.parent
    }
    // A store in a file counts each read and prints it after `set sql on`, so it is not asked.
    if persistentStoreCoordinator.sqlStore == nil,
      let row = try? persistentStoreCoordinator.store.row(number, in: entity.root)
    {
      let index = row.entity.shownAttribute(besides: sectionKey)
        .flatMap { row.entity.propertyIndex(named: $0) }
      return RowText(
        object: ObjectID(entity: row.entity, number: number).description,
        text: index.map { row.snapshot[$0].shownText })
    }
    return RowText(object: "\(entity.name)/\(number)", text: nil, remark: "fault")
  }
}

extension PropertyValue {
  fileprivate var shownText: String { isNull ? "nil" : description }
}

/// One edit on the way from a list's old items to its new ones.
package enum ListEdit: Equatable {
  /// Keeps this number of items.
  case keep(Int)
  /// Deletes this number of items.
  case delete(Int)
  case insert([ListItem])
}

extension [ListEdit] {
  /// Creates the edits that turn the old items into the new ones; none if they are equal.
  ///
  /// - Complexity: O(*n*).
  init(from old: [ListItem], to new: [ListItem]) {
    self.init(from: old.map(ListPart.item), to: new.map(ListPart.item))
  }

  /// Creates the edits that turn the old items into the new ones; none if they are equal.
  ///
  /// If an item has moved, the shorter of the two ways from the present place is taken. So a few
  /// changes give few edits, but not always the fewest.
  ///
  /// - Complexity: O(*n*) in the parts.
  init(from old: [ListPart], to new: [ListPart]) {
    self = []
    var start = 0
    let shorter = Swift.min(old.count, new.count)
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    guard start + end < Swift.max(old.count, new.count) else { return }

    append(.keep(old[..<start].reduce(0) { $0 + $1.count }))
    addMiddle(old[start..<old.count - end], new[start..<new.count - end])
    append(.keep(old[(old.count - end)...].reduce(0) { $0 + $1.count }))
  }

  private mutating func addMiddle(_ old: ArraySlice<ListPart>, _ new: ArraySlice<ListPart>) {
    let oldPlaces = Self.places(of: old)
    let newPlaces = Self.places(of: new)
    var (i, j) = (old.startIndex, new.startIndex)
    while i < old.endIndex || j < new.endIndex {
      if i < old.endIndex, j < new.endIndex, old[i] == new[j] {
        add(.keep(old[i].count))
        i += 1
        j += 1
        continue
      }
      // The distance to the place of each part in the other list, if it is there at all.
      let next = i < old.endIndex ? newPlaces[old[i]].map { $0 - j } : nil
      let wanted = j < new.endIndex ? oldPlaces[new[j]].map { $0 - i } : nil
      let isGoing =
        i < old.endIndex
        && (j == new.endIndex || next.map { $0 < 0 } ?? true
          || wanted.map { $0 > 0 && $0 < next ?? 0 } ?? false)
      if isGoing {
        add(.delete(old[i].count))
        i += 1
      } else {
        add(.insert(new[j].items))
        j += 1
      }
    }
  }

  private static func places(of parts: ArraySlice<ListPart>) -> [ListPart: Int] {
    Dictionary(zip(parts, parts.indices), uniquingKeysWith: { first, _ in first })
  }

  /// Appends an edit, or adds it to the last one if both have the same kind.
  private mutating func add(_ edit: ListEdit) {
    switch (last, edit) {
    case (.keep(let count)?, .keep(let more)): self[self.count - 1] = .keep(count + more)
    case (.delete(let count)?, .delete(let more)): self[self.count - 1] = .delete(count + more)
    case (.insert(var items)?, .insert(let more)):
      // The list gives its items up, so that they are not copied.
      self[self.count - 1] = .keep(0)
      items += more
      self[self.count - 1] = .insert(items)
    case (nil, _), (.keep, _), (.delete, _), (.insert, _): append(edit)
    }
  }
}
