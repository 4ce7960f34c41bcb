import Basics
package import FetchedResults

/// The objects of a section as `show` lists them.
///
/// A list may have a million objects. So the values are not copied: each object's snapshot is kept,
/// which costs a reference until the object changes. If the event's receiver reads it at once, not
/// even that is kept.
package struct ShownObjects: RandomAccessCollection, Sendable {
  private struct Entry {
    let number: Int64
    let snapshot: ObjectSnapshot
  }

  /// Objects in a row that are shown in the same way.
  private struct Run {
    let entity: EntityDescription
    /// The place of the display value in a snapshot; nil if there is none to show.
    let place: Int?
    /// The index after the last object.
    var end: Int
  }

  /// Objects that are read when they are shown.
  ///
  /// They do not change in the meantime, and no other thread reads them.
  private struct Unread: @unchecked Sendable {
    let objects: FetchedObjects
    let sectionKey: String?
  }

  private var entries: [Entry] = []
  private var runs: [Run] = []
  private let unread: Unread?

  init(capacity: Int) {
    entries.reserveCapacity(capacity)
    unread = nil
  }

  /// Creates a list of objects that are read when they are shown.
  ///
  /// - Parameter sectionKey: The section key path of their controller.
  init(unread objects: FetchedObjects, besides sectionKey: String?) {
    unread = Unread(objects: objects, sectionKey: sectionKey)
  }

  /// Appends an object as it is now.
  ///
  /// - Parameter place: The place of the attribute that it is shown as; nil if it has none.
  mutating func append(_ object: ManagedObject, displaying place: Int?) {
    let id = object.objectID
    var place = place
    var snapshot = object.snapshot
    if let attribute = place, object.isFault || id.entity.hasExpressions {
      snapshot = ObjectSnapshot(CollectionOfOne(object.value(at: attribute)))
      place = 0
    }
    entries.append(Entry(number: id.number, snapshot: snapshot))
    if let last = runs.last, last.entity === id.entity, last.place == place {
      runs[runs.count - 1].end = entries.count
    } else {
      runs.append(Run(entity: id.entity, place: place, end: entries.count))
    }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { unread?.objects.count ?? entries.count }

  /// - Complexity: O(log *r*) for *r* runs of objects of one entity, of which most lists have one.
  package subscript(position: Int) -> ShownObject {
    if let unread {
      let object = unread.objects[position]
      var places = ShownPlaces(besides: unread.sectionKey)
      return ShownObject(
        id: object.objectID, display: places.place(in: object.entity).map(object.value))
    }
    var low = 0
    var high = runs.count - 1
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end > position { high = middle } else { low = middle + 1 }
    }
    let entry = entries[position]
    return ShownObject(
      id: ObjectID(entity: runs[low].entity, number: entry.number),
      display: runs[low].place.map { entry.snapshot[$0] })
  }

  /// Calls `body` with each object in order.
  func forEachObject(_ body: (ShownObject) -> Void) {
    guard let unread else { return forEach(body) }
    var places = ShownPlaces(besides: unread.sectionKey)
    unread.objects.visitObjects { object in
      let id = object.objectID
      body(ShownObject(id: id, display: places.place(in: id.entity).map(object.value)))
    }
  }
}

/// The places of the attributes that objects are shown as, looked up once for objects in a row.
struct ShownPlaces {
  private let sectionKey: String?
  private var last: (entity: EntityDescription, place: Int?)?

  init(besides sectionKey: String?) { self.sectionKey = sectionKey }

  /// Returns the place of the attribute that objects of an entity are shown as; nil if there is
  /// none.
  mutating func place(in entity: EntityDescription) -> Int? {
    if let last, last.entity === entity { return last.place }
    let place = entity.shownAttribute(besides: sectionKey)
      .flatMap { entity.propertyIndex(named: $0) }
    last = (entity, place)
    return place
  }
}

extension EntityDescription {
  /// Returns the attribute that objects are shown as: the display attribute, or else the first
  /// string attribute that is not the section key.
  package func shownAttribute(besides sectionKey: String?) -> String? {
    displayAttribute
      ?? attributes.first { $0.type == .string && $0.name != sectionKey }?.name
  }
}

extension ShownObject {
  /// Shows an object in an event; a fault stays a fault.
  package init(_ object: ManagedObject, attribute: String?) {
    self.init(
      id: object.objectID,
      display: attribute.flatMap { object.entity.propertyIndex(named: $0) }
        .map { object.shownValue(at: $0) })
  }

  /// Shows an object of a context as it is now, without reading it into the context.
  init(id: ObjectID, in context: ManagedObjectContext, besides sectionKey: String?) {
    let values = context.shownValues(of: id)
    self.init(
      id: values?.objectID ?? id,
      display: values.flatMap { values in
        values.objectID.entity.shownAttribute(besides: sectionKey)
          .flatMap { values.value(forKey: $0) }
      })
  }
}

/// A notification of a context, as it is printed.
package struct ShownNotification {
  package let name: Name
  /// The name of the context.
  package let context: String
  /// The objects of each key that has any, in a fixed order.
  package let objects: [(key: NotifiedObjects.Key, objects: [ShownObject])]
  package let areAllInvalidated: Bool

  /// The name of a notification; the raw value is its printed form.
  package enum Name: String {
    case objectsDidChange
    case willSave
    case didSave
  }

  init(_ notification: ContextNotification, context: String) {
    self.context = context
    let notified: NotifiedObjects?
    switch notification {
    case .objectsDidChange(let objects): (name, notified) = (.objectsDidChange, objects)
    case .willSave: (name, notified) = (.willSave, nil)
    case .didSave(let objects): (name, notified) = (.didSave, objects)
    }
    areAllInvalidated = notified?.areAllInvalidated ?? false
    objects = (notified?.byKey ?? []).map { key, objects in
      (
        key,
        objects.map { ShownObject($0, attribute: $0.entity.shownAttribute(besides: nil)) }
      )
    }
  }
}

extension ShownNotification {
  /// `main objectsDidChange`, and a line for each key.
  var lines: [String] {
    ["\(context) \(name.rawValue)"]
      + objects.map { key, objects in
        "  \(key.rawValue) " + objects.map(\.description).joined(separator: ", ")
      } + (areAllInvalidated ? ["  invalidatedAll"] : [])
  }

  /// The event's fields.
  ///
  /// A key without objects is left out.
  var fields: [(String, JSON?)] {
    [("name", .string(name.rawValue)), ("context", .string(context))]
      + objects.map { key, objects in
        (key.rawValue, .array(objects.map { .string($0.id.description) }))
      } + [("invalidatedAll", areAllInvalidated ? .boolean(true) : nil)]
  }
}

/// The values of a predicate's parts for an object, as `evaluate` lists them.
package struct ShownEvaluation {
  package let object: ObjectID
  /// The parts: the whole predicate first, and each part before the parts inside it.
  package let parts: [Part]

  package struct Part {
    /// The number of parts that enclose this one.
    package let depth: Int
    package let predicate: String
    package let outcome: Result<Bool, Failure>
    /// The sides of a comparison, except for literals.
    package let operands: [Operand]
    /// The element that decided an ANY or ALL.
    package let decider: PredicateValue?
  }

  package struct Operand {
    package let text: String
    package let value: PredicateValue
    /// The collection that a SUBQUERY searched.
    package let collection: PredicateValue?
  }

  package struct Failure: Error {
    package let message: String
  }
}

extension ShownEvaluation.Part: CustomStringConvertible {
  /// `  pages > 100: true (pages is 412)`.
  package var description: String {
    let indent = String(repeating: "  ", count: depth)
    var notes = operands.map(\.description)
    if let decider, case .success(let value) = outcome {
      // An ANY is true, and an ALL is false, because of this element.
      notes.append("\(decider.shownText) " + (value ? "fits" : "does not fit"))
    }
    let looked = notes.isEmpty ? "" : " (" + notes.joined(separator: ", ") + ")"
    switch outcome {
    case .success(let value): return "\(indent)\(predicate): \(value)\(looked)"
    case .failure(let failure):
      // The engine's message about a value may contain line ends.
      let message = failure.message.linesOfText.joined(separator: " ")
      return "\(indent)\(predicate): error: \(message)\(looked)"
    }
  }
}

extension ShownEvaluation.Operand: CustomStringConvertible {
  /// `pages is 412`, `SUBQUERY kept {Book/1} of {Book/1, Book/2}`.
  package var description: String {
    guard let collection else { return "\(text) is \(value.shownText)" }
    return "SUBQUERY kept \(value.shownText) of \(collection.shownText)"
  }
}

extension PredicateValue {
  /// The value as a script writes it; for a collection, its first elements.
  fileprivate var shownText: String {
    switch self {
    case .value(let value): return value.quotedDescription
    case .subject(let subject): return subject.identity.quotedDescription
    case .dictionary: return description
    case .list(let elements), .set(let elements):
      let shown = elements.prefix(Self.shownElements).map(\.shownText).joined(separator: ", ")
      guard elements.count > Self.shownElements else { return "{\(shown)}" }
      return "{\(shown), … \(elements.count) in all}"
    }
  }

  private static var shownElements: Int { 5 }

  fileprivate var json: JSON {
    switch self {
    case .value(let value): JSON(value)
    case .subject(let subject): JSON(subject.identity)
    case .list(let elements), .set(let elements): .array(elements.map(\.json))
    case .dictionary(let entries):
      .object(entries.ordered { $0.key < $1.key }.map { ($0.key, $0.value.json) })
    }
  }
}

extension ShownEvaluation {
  /// The event's fields.
  ///
  /// `matches` is left out if the whole predicate raises an error.
  var fields: [(String, JSON?)] {
    let whole = parts.first.flatMap { try? $0.outcome.get() }
    return [
      ("object", .string(object.description)), ("matches", whole.map(JSON.boolean)),
      ("parts", .array(parts.map(\.json))),
    ]
  }
}

extension ShownEvaluation.Part {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [
      ("depth", .number(String(depth))), ("predicate", .string(predicate)),
    ]
    switch outcome {
    case .success(let value): fields.append(("value", .boolean(value)))
    case .failure(let failure): fields.append(("error", .string(failure.message)))
    }
    if !operands.isEmpty { fields.append(("operands", .array(operands.map(\.json)))) }
    if let decider { fields.append(("decider", decider.json)) }
    return .object(fields)
  }
}

extension ShownEvaluation.Operand {
  fileprivate var json: JSON {
    .object(
      [("expression", .string(text)), ("value", value.json)]
        + (collection.map { [("collection", $0.json)] } ?? []))
  }
}

/// The numbers that `stats` prints.
package struct ShownStatistics {
  /// The name of the store in a file; nil for the store in memory.
  package let store: String?
  package let statements: Int
  package let rows: Int
  package let faults: Int
  /// The memory in bytes; nil if it must not be printed.
  package let memory: Int?
}

extension ShownStatistics: CustomStringConvertible {
  /// `statements 3, rows read 40, faults fired 2, memory 21.4 MB`.
  package var description: String {
    let memory = memory.map { bytes in
      let tenths = (bytes + 50_000) / 100_000
      return ", memory \(tenths / 10).\(tenths % 10) MB"
    }
    return "statements \(statements), rows read \(rows), faults fired \(faults)"
      + (memory ?? "")
  }

  /// The event's fields.
  var fields: [(String, JSON?)] {
    [
      ("store", store.map { .string($0) }), ("statements", .number(String(statements))),
      ("rowsRead", .number(String(rows))), ("faultsFired", .number(String(faults))),
      ("memory", memory.map { .number(String($0)) }),
    ]
  }
}

/// A statement of the store, with its kind and its duration.
package struct ShownStatement {
  package let statement: StoreStatement
  /// The duration; 0 if times must not be printed.
  package let seconds: Double

  package init(_ statement: StoreStatement, seconds: Double) {
    self.statement = statement
    self.seconds = seconds
  }

  /// The lines that Core Data prints for it with `-com.apple.CoreData.SQLDebug 2`.
  package var lines: [String] {
    var lines = ["sql: \(statement.sql)"]
    for (index, bind) in statement.binds.enumerated() {
      lines.append("details: SQLite bind[\(index)] = \(bind.bindText)")
    }
    switch statement.kind {
    case .fetch:
      lines.append(
        "annotation: total fetch execution time: \(time)s for \(statement.rows) "
          + "\(statement.rows == 1 ? "row" : "rows").")
    case .change: lines.append("annotation: sql execution time: \(time)s")
    case .transaction: break
    }
    return lines.map { "CoreData: " + $0 }
  }

  /// The number of seconds with four decimals.
  private var time: String {
    let units = Int((min(seconds, 1e9) * 10_000).rounded())
    let digits = String(units % 10_000)
    return "\(units / 10_000)." + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The event's fields.
  var fields: [(String, JSON?)] {
    [
      ("sql", .string(statement.sql)),
      ("binds", .array(statement.binds.map { JSON($0) })),
      ("rows", statement.kind == .transaction ? nil : .number(String(statement.rows))),
      ("seconds", .number(time)),
    ]
  }
}

extension Event {
  /// The event without measured times and memory, as a test prints it.
  package var unmeasured: Event {
    if case .statistics(let shown) = self {
      return .statistics(
        ShownStatistics(
          store: shown.store, statements: shown.statements, rows: shown.rows, faults: shown.faults,
          memory: nil))
    }
    if case .statement(let shown) = self {
      return .statement(ShownStatement(shown.statement, seconds: 0))
    }
    return self
  }
}

extension PropertyValue {
  /// The value as SQLDebug prints it; bytes are written as in SQL.
  fileprivate var bindText: String {
    guard case .data(let bytes) = self else { return quotedDescription }
    let shown = bytes.prefix(32).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "x'\(shown.joined())\(bytes.count > 32 ? "…" : "")'"
  }
}
