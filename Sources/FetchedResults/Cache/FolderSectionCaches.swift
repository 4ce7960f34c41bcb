import Basics
package import Foundation
import Platform

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
