import FetchedResults

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
