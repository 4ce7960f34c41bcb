package import FetchedResults

/// The value of a script's expression: a value of the engine, or a part of a controller that is
/// read and not stored.
package enum ScriptValue {
  case value(PropertyValue)
  case range(Range<Int64>)
  case controller(ControllerBinding)
  case history(HistoryBinding)
  case fetchedObjects(ControllerBinding)
  case sections(ControllerBinding)
  // Indirect, so that all other values stay small.
  indirect case section(ControllerBinding, SeenSection)
}

extension ScriptValue {
  static var null: ScriptValue { .value(.null) }

  static func int(_ number: Int) -> ScriptValue { .value(.int(Int64(number))) }

  /// The kind of value with its article, for messages.
  var kind: String {
    switch self {
    case .value(let value): value.kind
    case .range: "a range"
    case .controller(let binding): binding.observer == nil ? "a controller" : "an observer"
    case .history: "an observer"
    case .fetchedObjects: "a list"
    case .sections: "a list of sections"
    case .section: "a section"
    }
  }
}

extension Range<Int64> {
  /// The number of integers in the range; nil if it is too large for an integer.
  var length: Int? {
    let (length, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows ? nil : Int(length)
  }
}

extension PropertyValue {
  /// The value as messages show it: strings in quotes, and long ones shortened.
  var excerpt: String {
    if case .string(let text) = self, text.utf8.count > 200 {
      return String(text.prefix(100)).quoted + "…"
    }
    let text = quotedDescription
    return text.utf8.count > 2000 ? text.prefix(1000) + "…" : text
  }

  /// The kind of value with its article, for messages.
  package var kind: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int: "an integer"
    case .double: "a floating-point number"
    case .string: "a string"
    case .date: "a date"
    case .decimal: "a decimal number"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .data: "data"
    case .object: "an object"
    case .list: "a list"
    }
  }
}

extension ScriptValue {
  /// Returns the value with new numbers of objects.
  func renumbered(_ ids: [ObjectID: ObjectID]) -> ScriptValue {
    guard case .value(let value) = self else { return self }
    return .value(value.renumbered { ids[$0] })
  }
}

/// The sections that a controller has, or that an observer has published.
package struct SeenSections: RandomAccessCollection {
  private let source: Source

  private enum Source {
    case controller(FetchedResultsSections)
    case observer(PublishedSections)
  }

  init(_ sections: FetchedResultsSections) { source = .controller(sections) }
  init(_ sections: PublishedSections) { source = .observer(sections) }

  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch source {
    case .controller(let sections): sections.endIndex
    case .observer(let sections): sections.endIndex
    }
  }

  /// - Complexity: O(log *s*) for *s* sections.
  package subscript(position: Int) -> SeenSection {
    switch source {
    case .controller(let sections): SeenSection(sections[position])
    case .observer(let sections): SeenSection(sections[position])
    }
  }

  /// Returns the section of a name; nil if there is none.
  func section(named name: String) -> SeenSection? {
    switch source {
    case .controller(let sections):
      sections.first { $0.name == name }.map(SeenSection.init)
    case .observer(let sections):
      sections.index(ofSectionNamed: name).map { SeenSection(sections[$0]) }
    }
  }
}

/// A section of a controller or an observer.
package struct SeenSection {
  private let source: Source

  private enum Source {
    case controller(FetchedResultsSectionInfo)
    case observer(PublishedSection)
  }

  fileprivate init(_ section: FetchedResultsSectionInfo) { source = .controller(section) }
  fileprivate init(_ section: PublishedSection) { source = .observer(section) }

  package var name: String {
    switch source {
    case .controller(let section): section.name
    case .observer(let section): section.name
    }
  }

  /// The title in the section index, which an observer does not have: its first letter.
  package var indexTitle: String {
    switch source {
    case .controller(let section): section.indexTitle
    case .observer(let section): String(section.name.prefix(1)).uppercased()
    }
  }

  package var numberOfObjects: Int {
    switch source {
    case .controller(let section): section.numberOfObjects
    case .observer(let section): section.count
    }
  }

  /// The section's objects, if listing them runs no statement of a store and no code of the script;
  /// otherwise nil.
  var objectsInMemory: FetchedObjects? {
    switch source {
    case .controller(let section): section.objects.areInMemory ? section.objects : nil
    case .observer: nil
    }
  }

  package var objects: SeenObjects {
    switch source {
    case .controller(let section): SeenObjects(section.objects)
    case .observer(let section): SeenObjects(section)
    }
  }
}

/// Objects of a controller or an observer in order: all of them, or one section's.
package struct SeenObjects: RandomAccessCollection {
  private let source: Source

  private enum Source {
    case controller(FetchedObjects)
    case section(PublishedSection)
    case rows(PublishedRows)
  }

  init(_ objects: FetchedObjects) { source = .controller(objects) }
  init(_ section: PublishedSection) { source = .section(section) }
  init(_ rows: PublishedRows) { source = .rows(rows) }

  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch source {
    case .controller(let objects): objects.endIndex
    case .section(let section): section.endIndex
    case .rows(let rows): rows.endIndex
    }
  }

  /// - Complexity: O(log *n*).
  package subscript(position: Int) -> ManagedObject {
    switch source {
    case .controller(let objects): objects[position]
    case .section(let section): section[position]
    case .rows(let rows): rows[position]
    }
  }

  /// Calls `body` with each object in order.
  ///
  /// `body` must not change the results.
  package func forEachObject(_ body: (ManagedObject) -> Void) {
    switch source {
    case .controller(let objects): objects.forEachObject(body)
    case .section(let section): section.forEach(body)
    case .rows(let rows): rows.forEach(body)
    }
  }

  /// The objects' identities, without loading an object.
  package var numbers: [Int64] {
    switch source {
    case .controller(let objects): objects.numbers
    case .section(let section): section.indices.map { section.objectID(at: $0).number }
    case .rows(let rows): rows.indices.map { rows.objectID(at: $0).number }
    }
  }

  /// Returns the identity of the object at an index, without loading it; nil if there is none.
  package func number(at position: Int) -> Int64? {
    switch source {
    case .controller(let objects): objects.number(at: position)
    case .section(let section):
      section.indices.contains(position) ? section.objectID(at: position).number : nil
    case .rows(let rows): rows.indices.contains(position) ? rows.objectID(at: position).number : nil
    }
  }
}

extension ControllerBinding {
  /// The sections that are shown at present; nil before a controller has fetched.
  package var sections: SeenSections? {
    observer.map { SeenSections($0.rows.sections) } ?? controller.sections.map(SeenSections.init)
  }

  /// The objects that are shown at present; nil before a controller has fetched.
  package var fetchedObjects: SeenObjects? {
    observer.map { SeenObjects($0.rows) } ?? controller.fetchedObjects.map(SeenObjects.init)
  }

  /// Returns the object at an index path.
  ///
  /// - Throws: As ``FetchedResultsController/object(at:)``.
  func object(at path: ResultsIndexPath) throws(FetchedResultsError) -> ManagedObject {
    guard let observer else { return try controller.object(at: path) }
    if let object = observer.rows.object(at: path) { return object }
    throw observer.rows.sections.indices.contains(path.section)
      ? .noObject(index: path.row, section: path.section) : .noSection(index: path.section)
  }

  /// Returns the index path of an object; nil if it is not shown.
  package func indexPath(forObjectID id: ObjectID) -> ResultsIndexPath? {
    observer.map { $0.rows.indexPath(of: id) } ?? controller.indexPath(forObjectID: id)
  }
}
