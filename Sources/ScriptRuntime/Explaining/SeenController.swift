package import FetchedResults

/// What a controller shows, seen without any effect: no fault fires, no delegate is asked, and
/// the store is not asked for a row.
package struct SeenController: Hashable, Sendable {
  package let name: String
  /// Nil if the controller has not fetched.
  package let sections: [Section]?

  package init(name: String, sections: [Section]?) {
    self.name = name
    self.sections = sections
  }

  /// A section and, unless the lists are long, its rows.
  package struct Section: Hashable, Sendable {
    package let name: String
    package let count: Int
    /// Nil if there are too many rows in all.
    package let rows: [Row]?

    package init(name: String, count: Int, rows: [Row]?) {
      self.name = name
      self.count = count
      self.rows = rows
    }
  }

  /// A row by its object.
  package struct Row: Hashable, Sendable {
    package let id: ObjectID
    /// The object as lists show it; its identity alone where its values have not been read.
    package let text: String
    /// Differs where a value of the object differs.
    package let values: Int

    package init(id: ObjectID, text: String, values: Int) {
      self.id = id
      self.text = text
      self.values = values
    }
  }
}

extension SeenController {
  /// How many rows all controllers of a session may have for their rows to be seen.
  package static let mostRows = 400

  init(_ binding: ControllerBinding, withRows: Bool) {
    name = binding.name
    sections = binding.controller.sections.map { sections in
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
  /// The object of a row if the context has it; nothing is read for it.
  fileprivate func seenObject(_ number: Int64) -> ManagedObject? {
    controller.managedObjectContext.registered(number, in: controller.fetchRequest.entity.root)
  }

  fileprivate func identity(of number: Int64) -> ObjectID {
    ObjectID(entity: controller.fetchRequest.entity, number: number)
  }

  /// An object as lists show it; a fault by its identity alone.
  fileprivate func seen(_ object: ManagedObject) -> ShownObject {
    object.isFault ? ShownObject(id: object.objectID, display: nil) : shown(object)
  }
}

/// A controller's sections with what the last turn did to them, for a pane.
///
/// Rows are looked up when they are asked for, so that a long list costs no more than what is
/// seen of it. Valid until the next statement runs.
package struct MarkedSections {
  /// The names of the sections, and how many rows they have.
  package let sections: [(name: String, count: Int)]
  /// What the last turn did to each section.
  package let marks: [SectionMarks]
  /// Why a table of the controller does not show what the controller has; nil if all do.
  package let inconsistency: String?
  private let binding: ControllerBinding

  init?(_ binding: ControllerBinding, _ log: TurnLog, tables: [TableBinding]) {
    guard let found = binding.controller.sections else { return nil }
    sections = found.map { ($0.name, $0.numberOfObjects) }
    let marks = log.marks(of: binding)
    self.marks = marks.isEmpty ? sections.map { _ in SectionMarks() } : marks
    inconsistency =
      tables.compactMap { table in
        // To look at a detached one would ask the controller's own delegate for titles.
        guard table.isDelegate else { return "\(table.name) is not told of changes" }
        let shown = ShownTable(table)
        if shown.isBroken { return "\(table.name) has crashed" }
        if shown.dataSource != nil { return "\(table.name) has other rows" }
        return shown.lines.contains { $0.staleness != nil } ? "\(table.name) is stale" : nil
      }.first
    self.binding = binding
  }

  /// Returns a row as lists show it.
  package func text(section: Int, row: Int) -> String {
    guard let sections = binding.controller.sections, sections.indices.contains(section),
      let number = sections[section].objects.number(at: row)
    else { return "" }
    guard let object = binding.seenObject(number) else {
      return binding.identity(of: number).description
    }
    return binding.seen(object).description
  }
}
