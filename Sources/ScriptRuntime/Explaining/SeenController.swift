package import FetchedResults

/// What a controller shows, read without side effects: no fault fires, no delegate is asked, and no
/// row is read from the store.
package struct SeenController: Hashable, Sendable {
  package let name: String
  /// The sections; nil if the controller has not fetched.
  package let sections: [Section]?

  /// A section with its rows, unless the lists are long.
  package struct Section: Hashable, Sendable {
    package let name: String
    package let count: Int
    /// The rows; nil if all controllers together have too many.
    package let rows: [Row]?
  }

  /// A row of one object.
  package struct Row: Hashable, Sendable {
    package let id: ObjectID
    /// The object as lists show it; only its identity if its values have not been read.
    package let text: String
    /// A number that differs if a value of the object differs.
    package let values: Int
  }
}

extension SeenController {
  /// The largest number of rows of all controllers in a session for which rows are read.
  package static let mostRows = 400

  init(_ binding: ControllerBinding, withRows: Bool) {
    name = binding.name
    sections = binding.sections.map { sections in
      sections.map { section in
        Section(
          name: section.name, count: section.numberOfObjects,
          rows: withRows ? section.objects.numbers.map { Row($0, of: binding) } : nil)
      }
    }
  }
}

extension SeenController.Row {
  fileprivate init(_ number: Int64, of binding: ControllerBinding) {
    let object = binding.seenObject(number)
    id = object?.objectID ?? binding.identity(of: number)
    text = object.map { binding.seen($0).description } ?? id.description
    values = object.map { $0.isFault ? 0 : $0.seenValues } ?? 0
  }
}

extension ManagedObject {
  /// A number that differs where a value differs.
  fileprivate var seenValues: Int {
    var hasher = Hasher()
    for attribute in entity.attributes { hasher.combine(try? value(forKey: attribute.name)) }
    return hasher.finalize()
  }
}

extension ControllerBinding {
  /// Returns the object of a row if the context has it.
  ///
  /// Nothing is read from the store.
  fileprivate func seenObject(_ number: Int64) -> ManagedObject? {
    controller.managedObjectContext.registered(number, in: controller.fetchRequest.entity.root)
  }

  fileprivate func identity(of number: Int64) -> ObjectID {
    ObjectID(entity: controller.fetchRequest.entity, number: number)
  }

  /// Returns an object as lists show it; a fault only by its identity.
  fileprivate func seen(_ object: ManagedObject) -> ShownObject {
    object.isFault ? ShownObject(id: object.objectID, display: nil) : shown(object)
  }
}

/// A controller's sections with the marks of the last turn, for a pane.
///
/// Rows are read when they are needed, so that a long list costs no more than its visible part. It
/// is valid until the next statement runs.
package struct MarkedSections {
  /// The names of the sections, with their numbers of rows.
  package let sections: [(name: String, count: Int)]
  /// The marks of the last turn in each section.
  package let marks: [SectionMarks]
  /// The sections and rows that the last turn removed, if no section is left.
  package let gone: [SectionMarks.Gone]
  /// The reason why a table does not show what its controller has; nil if all tables do.
  package let inconsistency: String?
  private let binding: ControllerBinding

  init?(_ binding: ControllerBinding, _ log: TurnLog, tables: [TableBinding]) {
    guard let found = binding.sections else { return nil }
    sections = found.map { ($0.name, $0.numberOfObjects) }
    let marks = log.marks(of: binding)
    self.marks = marks.isEmpty ? sections.map { _ in SectionMarks() } : marks
    gone = log.goneWithSections(of: binding)
    inconsistency =
      tables.compactMap { table in
        // Reading a detached table would ask the controller's own delegate for titles.
        guard table.isDelegate else {
          return "\(table.name) is not the delegate, so it gets no callbacks"
        }
        let shown = ShownTable(table)
        if shown.isBroken { return "\(table.name) raised an exception" }
        if shown.dataSource != nil { return "\(table.name) shows different rows" }
        return shown.lines.contains { $0.staleness != nil } ? "\(table.name) shows old values" : nil
      }.first
    self.binding = binding
  }

  /// Returns a row as lists show it.
  package func text(section: Int, row: Int) -> String {
    guard let sections = binding.sections, sections.indices.contains(section),
      let number = sections[section].objects.number(at: row)
    else { return "" }
    guard let object = binding.seenObject(number) else {
      return binding.identity(of: number).description
    }
    return binding.seen(object).description
  }
}
