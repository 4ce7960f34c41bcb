import Basics
package import Foundation
import Platform

/// The place where controllers with a cache name keep what they computed.
package protocol SectionCaches: AnyObject {
  /// The names in use, sorted by Unicode scalars.
  var names: [String] { get }

  /// Looks for a cache.
  func reading(of name: String) -> SectionCacheReading

  /// Whether this process made the cache of a name, or verified it.
  func isOwn(_ name: String) -> Bool

  /// Keeps a cache, and replaces the one that had its name.
  func keep(_ cache: SectionCache, named name: String) throws(SectionCacheError)

  func removeCache(named name: String) throws(SectionCacheError)

  func removeAll() throws(SectionCacheError)

  /// Writes the caches to where later processes find them.
  func writePending() throws(SectionCacheError)
}

/// What is found under a cache's name.
package enum SectionCacheReading {
  case nothing
  case cache(SectionCache)
  /// There is something under the name, but it cannot be used.
  case unusable(UnusableSectionCache)
}

/// The sections and the order that one `performFetch` computed.
package struct SectionCache: Sendable {
  package let fingerprint: CacheFingerprint
  /// The state of the store that the cache belongs to.
  package let basis: Basis
  package let storeIdentifier: String
  package let runs: [ResultRows.SectionRun]
  package let numbers: [Int64]

  /// What the rows of a cache were read from.
  package enum Basis: Hashable, Sendable {
    /// The store, in a state that this process knows.
    case generation(Int)
    /// The store, in a state from before this process opened it.
    case olderState
    /// The store together with unsaved changes, or with values that others have changed since.
    case unsavedChanges
  }
}

extension SectionCache {
  /// Why the cache may not be used; nil if it belongs to the store's present state.
  package func staleness(for store: any PersistentStore) -> Staleness? {
    guard storeIdentifier == store.identifier else { return .otherStore }
    switch basis {
    case .unsavedChanges: return .unsavedChanges
    case .olderState: return mutation(.staleCache) ? nil : .storeChanged
    case .generation(let generation):
      return generation == store.generation || mutation(.staleCache) ? nil : .storeChanged
    }
  }

  package enum Staleness: Hashable, Sendable {
    case unsavedChanges
    case otherStore
    case storeChanged
    /// The entity or a related one has other properties now.
    case modelChanged
    /// The limit, the offset or the locale is another one.
    case otherRequest
    /// The predicate or an expression uses the time or random numbers, or the sections come from a
    /// property that is set by hand and never stored.
    case unrepeatable
  }
}

/// Caches in memory, which end with their process.
package final class InMemorySectionCaches: SectionCaches {
  private var caches: [String: SectionCache] = [:]

  package init() {}

  package var names: [String] { caches.keys.ordered { $0.compareScalars(with: $1) < 0 } }

  package func reading(of name: String) -> SectionCacheReading {
    caches[name].map(SectionCacheReading.cache) ?? .nothing
  }

  package func isOwn(_ name: String) -> Bool { true }

  package func keep(_ cache: SectionCache, named name: String) { caches[name] = cache }

  package func removeCache(named name: String) { caches[name] = nil }

  package func removeAll() { caches = [:] }

  package func writePending() {}
}

extension PersistentStoreCoordinator {
  /// The section caches of all controllers on this coordinator; in memory by default.
  package private(set) var sectionCaches: any SectionCaches {
    get {
      if let caches = associatedObject as? any SectionCaches { return caches }
      let caches = InMemorySectionCaches()
      associatedObject = caches
      return caches
    }
    set { associatedObject = newValue }
  }

  /// - Parameter sectionCaches: Nil for caches in memory, which end with the coordinator.
  package convenience init(
    managedObjectModel: ManagedObjectModel, store: any PersistentStore,
    sectionCaches: (any SectionCaches)?
  ) {
    self.init(managedObjectModel: managedObjectModel, store: store)
    associatedObject = sectionCaches
  }

  /// Replaces a store that was never used, together with its caches; nil means caches in memory.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore, sectionCaches: (any SectionCaches)?) {
    use(store)
    if let sectionCaches { self.sectionCaches = sectionCaches }
  }
}

/// Why a file with a section cache's name cannot be used.
package enum UnusableSectionCache: Error, Hashable, Sendable {
  /// The file is not a section cache.
  case foreign
  /// The file is a cache of another version of this program.
  case otherVersion(Int)
  /// The file is too short or too long.
  case wrongLength
  /// The bytes differ from those that were written.
  case damaged
  /// The file has another name than it was written under.
  case otherName(String)
  case unreadable
}

extension UnusableSectionCache: CustomStringConvertible {
  /// A description of the error.
  package var description: String {
    switch self {
    case .foreign: "its file is not a section cache"
    case .otherVersion(let version): "its file is of version \(version)"
    case .wrongLength: "its file is cut off or too long"
    case .damaged: "its file is damaged"
    case .otherName(let name): "its file is the cache '\(name)'"
    case .unreadable: "its file cannot be read"
    }
  }
}

extension SectionCache.Staleness: CustomStringConvertible {
  /// A description of the reason.
  package var description: String {
    switch self {
    case .unsavedChanges: "it was made with unsaved or older values"
    case .otherStore: "it belongs to another store"
    case .storeChanged: "the store was saved since"
    case .modelChanged: "the model has changed"
    case .otherRequest: "it was made with another limit, offset or locale"
    case .unrepeatable: "it depends on now(), random() or values that are not stored"
    }
  }
}

/// A section cache's file that cannot be written or removed.
public struct SectionCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the cache.
  public let name: String
  /// The operation that failed, and the reason, as text.
  public let reason: String

  /// A description of the error.
  public var description: String { "the section cache '\(name)' \(reason)" }
}

extension SectionCacheError: _DescribedError {}

/// Section caches of one store, kept across processes as files of a folder, one file for each name.
///
/// A file belongs to one state of the store, which it identifies by a stamp. A save changes the
/// state, which makes every file stale at no cost. ``writePending()`` writes the files again at the
/// end.
package final class FolderSectionCaches: SectionCaches {
  private let folder: URL
  private let store: any PersistentStore
  /// Caches of this process that are not in a file yet.
  private var held: [String: SectionCache] = [:]
  /// For files that this process read or wrote, the state of the store that they belong to.
  private var known: [String: (stamp: StoreStamp, generation: Int)] = [:]

  package init(folder: URL, store: any PersistentStore) {
    self.folder = folder
    self.store = store
  }

  // MARK: Looking

  package var names: [String] {
    let files = (try? FolderNames.names(in: folder.path)) ?? []
    let names = files.compactMap(\.text).compactMap(CacheFileName.name).union(with: held.keys)
    return names.ordered { $0.compareScalars(with: $1) < 0 }
  }

  package func reading(of name: String) -> SectionCacheReading {
    if let cache = held[name] { return .cache(cache) }
    do {
      guard let file = try file(named: name) else { return .nothing }
      return .cache(file.cache.with(basis: basis(of: file)))
    } catch {
      return .unusable(error)
    }
  }

  package func isOwn(_ name: String) -> Bool { held[name] != nil || known[name] != nil }

  /// Reads a file; nil if there is none.
  private func file(named name: String) throws(UnusableSectionCache) -> SectionCacheFile? {
    let url = url(of: name)
    guard FileStatus.exists(url.path) else { return nil }
    guard let bytes = try? OpenFile.contents(of: url.path) else { throw .unreadable }
    let result = bytes.withUnsafeBytes { bytes in
      Result<SectionCacheFile, UnusableSectionCache> { () throws(UnusableSectionCache) in
        try SectionCacheCodec.decode(bytes)
      }
    }
    let file = try result.get()
    guard file.name == name else { throw .otherName(file.name) }
    return file
  }

  /// The state of the store that a file belongs to.
  ///
  /// The generation is read before the stamp, so a save in between makes the stamps differ.
  private func basis(of file: SectionCacheFile) -> SectionCache.Basis {
    if let known = known[file.name], known.stamp == file.stamp {
      return .generation(known.generation)
    }
    let generation = store.generation
    guard file.cache.storeIdentifier == store.identifier, file.stamp == store.stamp else {
      return .olderState
    }
    known[file.name] = (file.stamp, generation)
    return .generation(generation)
  }

  // MARK: Keeping

  package func keep(_ cache: SectionCache, named name: String) throws(SectionCacheError) {
    held[name] = cache
    guard case .generation(let generation) = cache.basis, let stamp = store.stamp,
      store.generation == generation
    else { return }
    try write(cache, generation, named: name, stamp)
  }

  /// Writes the caches that belong to the store's present state and are not in a valid file yet.
  package func writePending() throws(SectionCacheError) {
    guard !held.isEmpty || !known.isEmpty, let stamp = store.checkpoint() else { return }
    let current = store.generation
    var failure: SectionCacheError?
    for name in Set(held.keys).union(known.keys).sorted() {
      guard known[name]?.stamp != stamp, case .cache(let cache) = reading(of: name),
        cache.basis == .generation(current), store.generation == current
      else { continue }
      do {
        try write(cache, current, named: name, stamp)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func write(
    _ cache: SectionCache, _ generation: Int, named name: String, _ stamp: StoreStamp
  ) throws(SectionCacheError) {
    let bytes = SectionCacheCodec.encode(SectionCacheFile(name: name, stamp: stamp, cache: cache))
    if isNoFolder { throw SectionCacheError(name: name, reason: unwritten("it is not a folder")) }
    do throws(SystemError) {
      try NewFolder.makeWithParents(folder.path)
      // If a crash leaves a partial file, the checksum detects it.
      try AtomicFile.write(bytes, to: url(of: name).path)
    } catch {
      throw SectionCacheError(name: name, reason: unwritten(error.systemWords))
    }
    held[name] = nil
    known[name] = (stamp, generation)
  }

  private func unwritten(_ reason: String) -> String {
    "was not written to '\(folder.path)': \(reason)"
  }

  private var isNoFolder: Bool {
    (try? FileStatus(folder.path)).map { $0.kind != .folder } ?? false
  }

  package func removeCache(named name: String) throws(SectionCacheError) {
    held[name] = nil
    known[name] = nil
    let path = url(of: name).path
    guard FileStatus.exists(path) else { return }
    do throws(SystemError) {
      try OpenFolder.removeFile(at: path)
    } catch {
      throw SectionCacheError(
        name: name, reason: "cannot be removed from '\(folder.path)': \(error.systemWords)")
    }
  }

  package func removeAll() throws(SectionCacheError) {
    for name in names { try removeCache(named: name) }
  }

  private func url(of name: String) -> URL {
    folder.appendingPathComponent(CacheFileName.file(of: name))
  }
}

extension SectionCache {
  fileprivate func with(basis: Basis) -> SectionCache {
    SectionCache(
      fingerprint: fingerprint, basis: basis, storeIdentifier: storeIdentifier, runs: runs,
      numbers: numbers)
  }
}

extension Sequence<String> {
  fileprivate func union(with others: some Sequence<String>) -> Set<String> {
    Set(self).union(others)
  }
}
