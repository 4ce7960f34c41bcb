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
    set { change(\.filterBy) { $0.predicate = newValue } }
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
    set { change(\.sortBy) { $0.sortBy = newValue } }
  }

  /// The filter, the sort order and the limit of the results.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return descriptor
  }

  private func change<Value>(
    _ property: KeyPath<ResultsObserver, Value>, _ change: (inout FetchDescriptor<Element>) -> Void
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
    if observed.set(predicate: request.predicate, sortDescriptors: request.sortDescriptors) {
      descriptor = changed
    }
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
