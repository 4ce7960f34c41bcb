public import FetchedResults
public import Foundation
public import Observation

/// The results of a fetch that keep themselves up to date, outside of a view.
///
/// ```swift
/// let trips = try ResultsObserver<Trip, String>(
///   filterBy: #Predicate { $0.isOpen }, sectionBy: \.country, modelContext: context)
/// for await titles in Observations({ trips.sections?.sectionTitles ?? [] }) { show(titles) }
/// ```
///
/// The names and the meaning are those of SwiftData's ResultsObserver of iOS 27, as far as Apple
/// documents them. ``changes``, ``lastChange``, ``fetchError``, sections of other types than `String`
/// and `updates` are additions.
///
/// - Apple documents: The section key is the first sort key. Setting ``filterBy`` or ``sortBy``
///   fetches at once. Objects without a section key are in the section "".
/// - Others have measured: Results change after a save, and not before. So it is here: they change
///   at the end of the turn of a save, and after a merge of what others saved.
/// - Assumed here: see frc's Documentation/Decisions.md.
///
/// If an object may have no section key, titles are of type `String` or optional. Otherwise the
/// initializers throw a ``SectionTitleError``.
///
/// It stays on the actor of its context, like the objects.
public final class ResultsObserver<Element: ManagedEntity, SectionTitle: Hashable>: Observable {
  /// The context whose objects are observed.
  public let modelContext: ModelContext
  /// The property that divides the results into sections; nil without sections, and for a property
  /// of a related object.
  public let sectionBy: PartialKeyPath<Element>?

  private let observed: ObservedResults
  private let coding: SectionCoding<SectionTitle>?
  private let registrar = ObservationRegistrar()
  private var descriptor: FetchDescriptor<Element>
  private var last: SectionedDifference?
  /// Why a predicate or a sort could not be translated.
  private var refusal: (any Error)?

  /// - Parameter path: The path of the sections, and the property if it is one of the class.
  init(
    _ descriptor: FetchDescriptor<Element>,
    path: (name: String, keyPath: PartialKeyPath<Element>?)?, _ context: ModelContext,
    updates: ObservedResults.Updates = .saves, isolation: isolated (any Actor)?
  ) throws {
    self.descriptor = descriptor
    modelContext = context
    sectionBy = path?.keyPath
    coding = try path.map { try SectionCoding($0.name, of: Element.self, in: context) }
    observed = try ObservedResults(
      fetchRequest: descriptor.request().request(in: context), sectionNameKeyPath: path?.name,
      managedObjectContext: context, updates: updates, isolation: isolation)
    observed.willPublish = { [weak self] in self?.willPublish() }
    observed.didFail = { [weak self] in self?.didPublish() }
    observed.observe { [weak self] publication in
      self?.last = publication.difference
      self?.didPublish()
    }
  }
}

// MARK: - Results

extension ResultsObserver {
  /// The objects, in order.
  ///
  /// They stay as they are until the next save, also if objects of them change or are deleted. A
  /// deleted object has its last values.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    return FetchResultsCollection(rows: observed.rows)
  }

  /// The sections, in order; nil without sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    return coding.map { SectionedResults(rows: observed.rows, coding: $0) }
  }

  /// The changes of the last publication, with the index paths of each object and the rule of each
  /// change; nil if it replaced all results, and before the first one.
  public var lastChange: SectionedDifference? {
    registrar.access(self, keyPath: \.lastChange)
    return last
  }

  /// The reason why the last fetch failed; nil if it did not fail.
  ///
  /// The results, the filter and the sort order then stay as they were.
  public var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    return refusal ?? observed.fetchError
  }

  /// Whether a save of an object that is not in the results also counts as new results; false by
  /// default.
  ///
  /// Others have measured this of Apple's observer; see `ObservedResults.firesOnUnrelatedSaves`.
  public var firesOnUnrelatedSaves: Bool {
    get { observed.firesOnUnrelatedSaves }
    set { observed.firesOnUnrelatedSaves = newValue }
  }

  /// The changes as values, for a reader on any actor: first everything as it is, then what was
  /// published since the reader took the last element, as one difference.
  public var changes: ComposedChanges { observed.changes }

  /// Returns the object at an index path of a section and an item; nil if there is none, or if the
  /// observer has no sections.
  ///
  /// - Complexity: O(log *n*).
  public func element(at indexPath: IndexPath) -> Element? {
    guard coding != nil, indexPath.count == 2 else { return nil }
    return element(at: ResultsIndexPath(section: indexPath[0], row: indexPath[1]))
  }

  /// Returns the index path of an object, a section and an item; nil if it is not in the results, or
  /// if the observer has no sections.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(for element: Element) -> IndexPath? {
    registrar.access(self, keyPath: \.results)
    guard coding != nil, element.managedObjectContext === modelContext else { return nil }
    return observed.rows.indexPath(of: element.objectID)
      .map { IndexPath(indexes: [$0.section, $0.row]) }
  }

  /// Returns the object at an index path; nil if there is none.
  ///
  /// Without sections, all objects are in section 0.
  ///
  /// - Complexity: O(log *n*).
  public func element(at indexPath: ResultsIndexPath) -> Element? {
    registrar.access(self, keyPath: \.results)
    return observed.rows.object(at: indexPath).map(Element.init(managedObject:))
  }
}

// MARK: - The request

extension ResultsObserver {
  /// The filter; nil for all objects.
  ///
  /// Setting it fetches at once: the results are current before the setter returns. If the fetch
  /// fails, the filter and the results stay as they were; see ``fetchError``.
  ///
  /// - Complexity: O(*n* log *n*) to set it.
  public var filterBy: Predicate<Element>? {
    get {
      registrar.access(self, keyPath: \.filterBy)
      return descriptor.predicate
    }
    set { change(\.filterBy, { $0.predicate = newValue }, { observed.set($0.predicate) }) }
  }

  /// The sort order, as it was given.
  ///
  /// Rows are sorted by the section key first, and by the identity of an object last. Setting the
  /// order fetches at once, as for ``filterBy``.
  ///
  /// - Complexity: O(*n* log *n*) to set it.
  public var sortBy: [SortDescriptor<Element>] {
    get {
      registrar.access(self, keyPath: \.sortBy)
      return descriptor.sortBy
    }
    set { change(\.sortBy, { $0.sortBy = newValue }, { observed.set($0.sortDescriptors) }) }
  }

  /// The filter, the sort order and the limit of the results.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return descriptor
  }

  /// - Parameter fetch: Sets the property in the request, and returns whether that could be fetched.
  private func change<Value>(
    _ property: KeyPath<ResultsObserver, Value>, _ change: (inout FetchDescriptor<Element>) -> Void,
    _ fetch: (EngineFetchRequest) -> Bool
  ) {
    var changed = descriptor
    change(&changed)
    let request: EngineFetchRequest
    do {
      request = try changed.request().request(in: modelContext)
    } catch {
      refuse(error)
      return
    }
    notify(.will, property)
    notify(.will, \.fetchDescriptor)
    refusal = nil
    if fetch(request) { change(&descriptor) }
    notify(.did, property)
    notify(.did, \.fetchDescriptor)
  }

  private func refuse(_ error: any Error) {
    registrar.withMutation(of: self, keyPath: \.fetchError) { refusal = error }
  }
}

// MARK: - Observation

extension ResultsObserver {
  private enum Moment {
    case will
    case did
  }

  private func willPublish() { notifyPublished(.will) }

  private func didPublish() { notifyPublished(.did) }

  private func notifyPublished(_ moment: Moment) {
    notify(moment, \.results)
    notify(moment, \.sections)
    notify(moment, \.lastChange)
    notify(moment, \.fetchError)
  }

  /// Tells those who read a property that it is about to change, or that it has.
  private func notify<Value>(_ moment: Moment, _ property: KeyPath<ResultsObserver, Value>) {
    switch moment {
    case .will: registrar.willSet(self, keyPath: property)
    case .did: registrar.didSet(self, keyPath: property)
    }
  }
}

extension ResultsObserver: CustomDebugStringConvertible {
  /// A text such as `ResultsObserver<Trip>: 12 results in 3 sections`.
  public var debugDescription: String {
    let rows = observed.rows
    let sections = coding == nil ? "" : " in \(rows.sections.count) sections"
    return "ResultsObserver<\(Element.self)>: \(rows.count) results\(sections)"
  }
}

/// The objects that an observer published, in order.
///
/// It is a value: it stays as it is, also after the observer has published others. It is not a copy,
/// so taking it costs nothing; see `PublishedRows`.
public struct FetchResultsCollection<Element: ManagedEntity>: RandomAccessCollection {
  let rows: PublishedRows

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { rows.endIndex }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element { Element(managedObject: rows[position]) }
}

extension FetchResultsCollection: Equatable {
  /// Whether both have the same objects in the same order.
  ///
  /// - Complexity: O(*n* log *n*).
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// The sections that an observer published, in order.
///
/// Sections are in the order of their section keys, and each title occurs once. An exception is an
/// enumeration: a raw value that no case has, from a newer version of an app, gives a section whose
/// title is the first case, or nil for an optional.
public struct SectionedResults<Element: ManagedEntity, SectionTitle: Hashable>:
  RandomAccessCollection
{
  let rows: PublishedRows
  let coding: SectionCoding<SectionTitle>

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { rows.sections.endIndex }

  /// The section at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> {
    ResultsSection(section: rows.sections[position], coding: coding)
  }

  /// The titles of the sections, in order.
  ///
  /// - Complexity: O(*s* log *s*) for *s* sections.
  public var sectionTitles: [SectionTitle] { map(\.title) }

  /// Returns whether there is a section with a title.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public func contains(sectionTitle: SectionTitle) -> Bool {
    index(ofSectionTitled: sectionTitle) != nil
  }

  /// Returns the index of the section with a title; nil if there is none.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public func index(ofSectionTitled title: SectionTitle) -> Int? {
    rows.sections.index(ofSectionNamed: coding.name(ofSectionTitled: title))
  }

  /// The section with a title; nil if there is none.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    index(ofSectionTitled: title).map { self[$0] }
  }
}

extension SectionedResults: Equatable {
  /// Whether both have equal sections in the same order.
  ///
  /// - Complexity: O(*n* log *n*).
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// A section that an observer published: its objects in order.
public struct ResultsSection<Element: ManagedEntity, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable
{
  /// The title: the value of the section key of the section's objects.
  ///
  /// Objects without a value are in the section "" if titles are of type `String`, as Apple
  /// documents it, and otherwise in the section nil.
  public let title: SectionTitle
  private let section: PublishedSection

  init(section: PublishedSection, coding: SectionCoding<SectionTitle>) {
    self.section = section
    title = coding.title(ofSectionNamed: section.name)
  }

  /// The title.
  public var id: SectionTitle { title }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { section.endIndex }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element { Element(managedObject: section[position]) }
}

extension ResultsSection: Equatable {
  /// Whether both have the same title, and the same objects in the same order.
  ///
  /// - Complexity: O(*n* log *n*).
  public static func == (left: Self, right: Self) -> Bool {
    left.title == right.title && left.elementsEqual(right)
  }
}

/// Turns the names of sections into titles of a type, and back.
struct SectionCoding<Title: Hashable> {
  /// The path of the sections, such as `publisher`.
  let path: String
  private let type: AttributeType
  /// The title of a section whose value is none of the type, such as nil for a number.
  private let placeholder: Title

  /// - Throws: `FetchError` if the path does not lead to an attribute, or if the values of an
  ///   attribute are not of the title's type; `SectionTitleError` if objects may have no value, and
  ///   no title means that.
  init<Entity: ManagedEntity>(
    _ path: String, of entity: Entity.Type, in context: ManagedObjectContext
  ) throws {
    let description = Entity.managedSchema.entity(in: context)
    let model = context.persistentStoreCoordinator.managedObjectModel
    guard let (type, isOptional) = description.attribute(at: path, in: model),
      let placeholder = Self.decode(Self.valueWithoutName(of: type), as: Title.self) as? Title
    else { throw FetchError.unknownKeyPath(path, entity: description.name) }
    // Two sections would have the placeholder as their title.
    if isOptional, !Self.encode(placeholder).sectionName(ofType: type).isEmpty {
      throw SectionTitleError(keyPath: path, titleType: "\(Title.self)")
    }
    self.path = path
    self.type = type
    self.placeholder = placeholder
  }

  /// The value of the objects in the section without a name.
  ///
  /// If a title can be nil, it is nil there. Otherwise an enumeration may have a case for `""`.
  private static func valueWithoutName(of type: AttributeType) -> PropertyValue {
    type == .string && !(Title.self is any OptionalTitle.Type) ? .string("") : .null
  }

  /// Returns the title of a section.
  ///
  /// The section without a name has the objects without a value, and those with an empty text.
  func title(ofSectionNamed name: String) -> Title {
    if name.isEmpty { return placeholder }
    return Self.decode(PropertyValue(sectionName: name, of: type), as: Title.self) as? Title
      ?? placeholder
  }

  /// Returns the name of the section with a title.
  func name(ofSectionTitled title: Title) -> String {
    Self.encode(title).sectionName(ofType: type)
  }

  /// Returns the title for a value; nil if no attribute holds titles of the type.
  private static func decode(_ value: PropertyValue, as type: Any.Type) -> Any? {
    if let managed = type as? any ManagedValue.Type {
      return managed.init(managedValue: value) ?? managed.managedPlaceholder
    }
    if let optional = type as? any OptionalTitle.Type {
      return optional.wrap(value == .null ? nil : decode(value, as: optional.wrapped))
    }
    if let enumeration = type as? any RawRepresentable.Type {
      return decode(value, raw: enumeration)
    }
    return nil
  }

  /// Returns a case of an enumeration: the first one for a value that no case has.
  private static func decode<R: RawRepresentable>(
    _ value: PropertyValue, raw type: R.Type
  ) -> Any? {
    if let raw = R.RawValue.self as? any ManagedValue.Type,
      let found = raw.init(managedValue: value) as? R.RawValue, let title = R(rawValue: found)
    {
      return title
    }
    guard let cases = R.self as? any CaseIterable.Type else { return nil }
    return first(cases)
  }

  private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? {
    Cases.allCases.first
  }

  private static func encode(_ title: Any) -> PropertyValue {
    if let managed = title as? any ManagedValue { return managed.managedValue }
    if let optional = title as? any OptionalTitle {
      return optional.value.map { encode($0) } ?? .null
    }
    if let enumeration = title as? any RawRepresentable { return encode(enumeration.rawValue) }
    return .null
  }
}

/// Why an observer cannot have sections of a type: no title is left for objects without a value.
public struct SectionTitleError: Error, Hashable, Sendable {
  /// The path of the sections, such as `author.age`.
  public let keyPath: String
  /// The type of the titles, such as `Int`.
  public let titleType: String
}

extension SectionTitleError: _DescribedError {
  /// A description of the error.
  public var description: String {
    "'\(keyPath)' may have no value, for which \(titleType) has no title; use \(titleType)? as the "
      + "type of the titles"
  }
}

/// An optional of any type.
private protocol OptionalTitle {
  static var wrapped: Any.Type { get }
  static func wrap(_ value: Any?) -> Any
  var value: Any? { get }
}

extension Optional: OptionalTitle {
  static var wrapped: Any.Type { Wrapped.self }
  static func wrap(_ value: Any?) -> Any { value as? Wrapped as Any }
  var value: Any? { self }
}

extension EntityDescription {
  /// Returns the type of the attribute that a dotted path leads to, and whether objects may have no
  /// value there; nil if it leads to none.
  fileprivate func attribute(
    at path: String, in model: ManagedObjectModel
  ) -> (type: AttributeType, isOptional: Bool)? {
    var entity = self
    var isOptional = false
    var names = path.split(separator: ".").map(String.init)[...]
    while let name = names.popFirst() {
      if names.isEmpty {
        return entity.attributes.first { $0.name == name }
          .map { ($0.type, isOptional || $0.isOptional) }
      }
      guard let step = entity.relationships.first(where: { $0.name == name }),
        let next = model.entitiesByName[step.destination]
      else { return nil }
      isOptional = isOptional || step.isOptional
      entity = next
    }
    return nil
  }
}
