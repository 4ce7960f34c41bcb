/// Where controllers with a cache name keep what they computed.
package protocol SectionCaches: AnyObject {
  /// The names in use, sorted by Unicode scalars.
  var names: [String] { get }
  func cache(named name: String) -> SectionCache?
  func store(_ cache: SectionCache, named name: String)
  func removeCache(named name: String)
  func removeAll()
}

/// The sections and the order that one performFetch computed.
package struct SectionCache: Sendable {
  package let fingerprint: CacheFingerprint
  /// The store's generation when the rows were read; nil where unsaved changes
  /// were among them.
  package let generation: Int?
  package let storeIdentifier: String
  package let runs: [SectionedResults.SectionRun]
  package let numbers: [Int64]

  package init(
    fingerprint: CacheFingerprint, generation: Int?, storeIdentifier: String,
    runs: [SectionedResults.SectionRun], numbers: [Int64]
  ) {
    self.fingerprint = fingerprint
    self.generation = generation
    self.storeIdentifier = storeIdentifier
    self.runs = runs
    self.numbers = numbers
  }
}

/// Caches that end with their process.
package final class InMemorySectionCaches: SectionCaches {
  private var caches: [String: SectionCache] = [:]

  package init() {}

  package var names: [String] { caches.keys.sorted { $0.compareScalars(with: $1) < 0 } }

  package func cache(named name: String) -> SectionCache? { caches[name] }

  package func store(_ cache: SectionCache, named name: String) { caches[name] = cache }

  package func removeCache(named name: String) { caches[name] = nil }

  package func removeAll() { caches = [:] }
}

extension SectionCache {
  /// Why the cache may not be used, or nil where it may.
  package func staleness(for store: any PersistentStore) -> Staleness? {
    guard let generation else { return .unsavedChanges }
    guard storeIdentifier == store.identifier else { return .otherStore }
    return generation == store.generation || fault(.staleCache) ? nil : .storeChanged
  }

  package enum Staleness: Hashable, Sendable {
    case unsavedChanges
    case otherStore
    case storeChanged
  }
}
