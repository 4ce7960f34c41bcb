public import FetchedResults
public import Foundation

// Apple's twelve initializers, with `updates` added: a descriptor, or a filter and a sort order; no
// sections, sections by a text, or by an optional text; in a context, or in a new one of a
// container.

extension ResultsObserver where SectionTitle == Never {
  /// Observes the results of a descriptor, and fetches.
  ///
  /// - Throws: If the first fetch fails.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: nil,
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, and fetches.
  ///
  /// - Throws: If the first fetch fails.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: nil,
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, and fetches.
  ///
  /// - Throws: If the first fetch fails.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), path: nil,
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in a new context of a container, and fetches.
  ///
  /// - Throws: If the first fetch fails.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), path: nil,
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes the results of a descriptor, in sections by a text, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, in sections by a
  /// text, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in sections by a text, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in a new context of a container, in sections by a
  /// text, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in sections by an optional text; objects without one
  /// are in the section "", and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, in sections by an
  /// optional text; objects without one are in the section "", and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in sections by an optional text; objects without one
  /// are in the section "", and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in a new context of a container, in sections by an
  /// optional text; objects without one are in the section "", and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }
}

/// Sections of other types, which are an addition to Apple's.
extension ResultsObserver {
  /// Observes the results of a descriptor, in sections by a property of any type that an
  /// attribute can hold, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, in sections by a
  /// property of any type that an attribute can hold, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in sections by a property of any type that an
  /// attribute can hold, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in a new context of a container, in sections by a
  /// property of any type that an attribute can hold, and fetches.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.storedName(of: sectionBy), sectionBy),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in sections by an attribute of the entity or of a
  /// related object, and fetches.
  ///
  /// Write the key path without a root: `\.author.name`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<SectionTitle>>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.path(sectionNameKeyPath), nil),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, in sections by an
  /// attribute of the entity or of a related object, and fetches.
  ///
  /// Write the key path without a root: `\.author.name`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<SectionTitle>>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, path: (Element.path(sectionNameKeyPath), nil),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in sections by an attribute of the entity or of a
  /// related object, and fetches.
  ///
  /// Write the key path without a root: `\.author.name`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<SectionTitle>>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.path(sectionNameKeyPath), nil),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes filtered and sorted results, in a new context of a container, in sections by an
  /// attribute of the entity or of a related object, and fetches.
  ///
  /// Write the key path without a root: `\.author.name`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<SectionTitle>>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      path: (Element.path(sectionNameKeyPath), nil),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in sections by an
  /// attribute of the entity or of a related object that may have no value, and fetches.
  ///
  /// Write the key path without a root: `\.author.age`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init<Value: Hashable>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<Value>>,
    modelContext: ModelContext,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Value? {
    try self.init(
      fetchDescriptor, path: (Element.path(sectionNameKeyPath), nil),
      modelContext, updates: updates, isolation: isolation)
  }

  /// Observes the results of a descriptor, in a new context of a container, in sections by an
  /// attribute of the entity or of a related object that may have no value, and fetches.
  ///
  /// Write the key path without a root: `\.author.age`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: If the first fetch fails, or the property is not stored.
  @_disfavoredOverload
  public convenience init<Value: Hashable>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionNameKeyPath: KeyPath<Element.ManagedKeys, ManagedKey<Value>>,
    modelContainer: ModelContainer,
    updates: ObservedResults.Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Value? {
    try self.init(
      fetchDescriptor, path: (Element.path(sectionNameKeyPath), nil),
      modelContainer.newContext(isolation: isolation), updates: updates, isolation: isolation)
  }
}
