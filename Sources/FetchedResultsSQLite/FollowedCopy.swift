import Foundation
import GRDB
import Platform

/// A copy of a database that others write, which is brought up to date page by page.
///
/// Nothing of the database is locked. The copy has no log: what the database's log has is written
/// into its place. So a change of the database costs what was appended to its log. After a
/// checkpoint, and without a log, all pages are compared, which costs little more than reading.
final class FollowedCopy {
  /// The pages that have changed, and what they are like now.
  struct Changes {
    var pages: [UInt32: [UInt8]] = [:]
    /// How many pages there are now.
    var pageCount: Int
    fileprivate let state: DatabaseState
    fileprivate let log: LogFrames.Position?
    /// False where the log was written meanwhile, or is damaged.
    fileprivate let hasAllPages: Bool
  }

  /// The most bytes of changed pages; more are read as a new copy.
  private static let mostChangedBytes = 64 << 20
  private static let pieceSize = 1 << 20

  private let source: DatabaseFiles
  private let file: OpenFile
  /// The connection to the copy.
  let queue: DatabaseQueue
  let pageSize: Int
  private(set) var pageCount: Int
  /// The source when it was last read.
  private var state: DatabaseState
  private var log: LogFrames.Position?
  /// SQLite takes the copy for changed if this number in its header changes.
  private var changeCounter: UInt32 = 1

  /// Copies a database.
  ///
  /// - Throws: ``UnusableFile``, ``Unfollowable``, or an error of SQLite or the system.
  /// - Complexity: O(*n*) in the bytes of the file.
  init(of path: String, configuration: Configuration) throws {
    source = try DatabaseFiles(path)
    // The open file stays, and nothing is left however the program ends.
    let folder = try TemporaryFolder.forCopy()
    defer { folder.remove() }
    let target = folder.path(of: "copy.sqlite")
    let open = try folder.opened()
    _ = try open.open("copy.sqlite", .creating, permissions: 0o600)
    file = try open.open("copy.sqlite", .readingAndWriting)
    let filled = try Self.fill(file.descriptor, from: source)
    file.shorten(to: filled.pageCount * filled.pageSize)
    (pageSize, pageCount, state, log) = (
      filled.pageSize, filled.pageCount, filled.state, filled.log
    )
    var first = filled.firstPage
    Self.mark(&first, pageCount: pageCount, counter: changeCounter)
    try file.descriptor.write(first, at: 0)
    queue = try DatabaseQueue(path: target, configuration: configuration)
    // SQLite opens the file with the first read.
    try queue.read { _ = try Row.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
  }

  /// Whether the copy has what another copy had.
  func isEqual(to mark: CopyMark) -> Bool {
    mark.state.database == state.database && mark.state.changeCounter == state.changeCounter
      && mark.state.logHeader == state.logHeader && mark.log == log
  }

  /// A page of the copy, as it was before changes that are not taken over yet.
  func page(_ number: UInt32) throws -> [UInt8] {
    let page = try file.descriptor.read(upTo: pageSize, at: (Int(number) - 1) * pageSize)
    guard page.count == pageSize else { throw Unfollowable.unknownPage(number) }
    return page
  }

  // MARK: Changes

  /// Finds what has changed since the source was last read.
  ///
  /// - Throws: ``Unfollowable``, ``UnusableFile``, or ``SystemError``.
  /// - Complexity: O(*k*) in the bytes that were appended to the log, or O(*n*) in all bytes if
  ///   the database itself was written.
  func changes() throws -> Changes {
    let start = ContinuousClock.now
    while true {
      let before = try DatabaseState(source)
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      if !before.hasJournal {
        let changes = try changes(as: before)
        if before.isSteady(until: try DatabaseState(source)) {
          guard changes.hasAllPages else {
            throw Unfollowable.unknownPage(UInt32(clamping: changes.pageCount))
          }
          return changes
        }
      } else if elapsed > DatabaseCopy.journalPatience {
        throw Unfollowable.journal
      }
      guard elapsed < DatabaseCopy.patience else { throw UnusableFile.busy }
      Thread.sleep(forTimeInterval: before.hasJournal ? 0.01 : 0.000_5)
    }
  }

  private func changes(as before: DatabaseState) throws -> Changes {
    let isSameLog: Bool =
      before.logHeader != nil && before.logHeader == log?.header
      && before.logHeader == state.logHeader
    let isSameDatabase: Bool =
      before.database == state.database && before.changeCounter == state.changeCounter
    let isAppended = isSameLog && isSameDatabase
    var differing: [UInt32: [UInt8]] = [:]
    var count = pageCount
    var hasAllPages = true
    if !isAppended { (differing, count) = try differingPages() }
    var end: LogFrames.Position?
    if let log = try source.open(.log) {
      let frames = try LogFrames(
        log.descriptor, after: isAppended ? self.log : nil,
        mostPages: Self.mostChangedBytes / pageSize)
      guard frames.pageSize == 0 || frames.pageSize == pageSize else {
        throw Unfollowable.otherLayout
      }
      end = frames.end
      if let logged = frames.pageCount {
        hasAllPages = frames.canHaveAllPages(knowing: count)
        count = logged
        for (number, offset) in frames.offsets {
          differing[number] = nil
          let page = normalized(try log.descriptor.read(upTo: pageSize, at: offset), number)
          guard page.count == pageSize else { throw Unfollowable.unknownPage(number) }
          let old = Int(number) > pageCount ? nil : try self.page(number)
          if page != old { differing[number] = page }
        }
      }
    }
    differing = differing.filter { Int($0.key) <= count }
    return Changes(
      pages: differing, pageCount: count, state: before, log: end, hasAllPages: hasAllPages)
  }

  /// The pages of the database itself that differ from the copy's, and how many it has.
  private func differingPages() throws -> (pages: [UInt32: [UInt8]], count: Int) {
    guard let database = try source.open(.database) else { throw UnusableFile.noFile }
    let size = try database.status().size
    let header = try database.descriptor.read(upTo: 100, at: 0)
    if header.count == 100, Self.pageSize(header) != pageSize { throw Unfollowable.otherLayout }
    let count = Self.pageCount(header, size: size, pageSize: pageSize)
    var pages: [UInt32: [UInt8]] = [:]
    var offset = 0
    let piece = max(Self.pieceSize / pageSize, 1) * pageSize
    while offset < count * pageSize {
      let new = try database.descriptor.read(
        upTo: min(piece, count * pageSize - offset), at: offset)
      let old = try file.descriptor.read(upTo: new.count, at: offset)
      if new.isEmpty { break }
      if !FileDescriptor.areEqual(new, old, 0..<new.count) {
        var place = 0
        while place + pageSize <= new.count {
          if !FileDescriptor.areEqual(new, old, place..<place + pageSize) {
            let number = UInt32((offset + place) / pageSize + 1)
            let page = normalized(Array(new[place..<place + pageSize]), number)
            if number > 1 || page != Array(old[0..<min(pageSize, old.count)]) {
              pages[number] = page
            }
            guard pages.count * pageSize <= Self.mostChangedBytes else {
              throw Unfollowable.tooMuch
            }
          }
          place += pageSize
        }
      }
      offset += new.count
    }
    return (pages, count)
  }

  /// Brings the copy up to date.
  ///
  /// - Precondition: No statement of the connection is being run.
  func take(_ changes: Changes) throws {
    (state, log) = (changes.state, changes.log)
    let isShorter = changes.pageCount < pageCount
    guard !changes.pages.isEmpty || changes.pageCount != pageCount else { return }
    pageCount = changes.pageCount
    for (number, page) in changes.pages where number > 1 {
      try file.descriptor.write(page, at: (Int(number) - 1) * pageSize)
    }
    var first = try changes.pages[1] ?? page(1)
    changeCounter &+= 1
    Self.mark(&first, pageCount: pageCount, counter: changeCounter)
    try file.descriptor.write(first, at: 0)
    if isShorter { file.shorten(to: pageCount * pageSize) }
  }

  // MARK: The first page

  /// The first page with what the copy has for itself, so that it can be compared.
  private func normalized(_ page: [UInt8], _ number: UInt32) -> [UInt8] {
    guard number == 1, page.count == pageSize else { return page }
    var page = page
    Self.mark(&page, pageCount: pageCount, counter: changeCounter)
    return page
  }

  /// Marks the first page: the database has no log, and has this change counter.
  private static func mark(_ page: inout [UInt8], pageCount: Int, counter: UInt32) {
    guard page.count >= 100 else { return }
    page[18] = 1
    page[19] = 1
    page.setBigEndian(counter, at: 24)
    page.setBigEndian(UInt32(truncatingIfNeeded: pageCount), at: 28)
    page.setBigEndian(counter, at: 92)
  }

  private static func pageSize(_ header: [UInt8]) -> Int {
    let size = header.shortBigEndian(at: 16)
    return size == 1 ? 65536 : size
  }

  /// The number of pages of a database.
  ///
  /// Old versions of SQLite leave the field for it as it was; then the size of the file tells it.
  private static func pageCount(_ header: [UInt8], size: Int, pageSize: Int) -> Int {
    let said = Int(header.bigEndian(at: 28))
    let isSaid = said > 0 && header.bigEndian(at: 24) == header.bigEndian(at: 92)
    return isSaid ? min(said, size / pageSize) : size / pageSize
  }

  // MARK: The first copy

  private struct Filled {
    var pageSize = 0
    var pageCount = 0
    var firstPage: [UInt8] = []
    var state: DatabaseState
    var log: LogFrames.Position?
    var hasAllPages = true
  }

  private static func fill(
    _ target: FileDescriptor, from files: DatabaseFiles
  ) throws -> Filled {
    let start = ContinuousClock.now
    while true {
      let before = try DatabaseState(files)
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      if !before.hasJournal {
        let filled = try fill(target, from: files, as: before)
        if before.isSteady(until: try DatabaseState(files)) {
          guard filled.firstPage.count == filled.pageSize, filled.pageSize >= 512,
            filled.firstPage.starts(with: Array("SQLite format 3".utf8))
          else { throw UnusableFile.noStore }
          guard filled.hasAllPages else {
            throw Unfollowable.unknownPage(UInt32(clamping: filled.pageCount))
          }
          return filled
        }
      } else if elapsed > DatabaseCopy.journalPatience {
        throw Unfollowable.journal
      }
      guard elapsed < DatabaseCopy.patience else { throw UnusableFile.busy }
      Thread.sleep(forTimeInterval: before.hasJournal ? 0.01 : 0.000_5)
    }
  }

  private static func fill(
    _ target: FileDescriptor, from files: DatabaseFiles, as state: DatabaseState
  ) throws -> Filled {
    var filled = Filled(state: state)
    guard let database = try files.open(.database) else { throw UnusableFile.noFile }
    var offset = 0
    while true {
      let bytes = try database.descriptor.read(upTo: pieceSize, at: offset)
      if bytes.isEmpty { break }
      try target.write(bytes, at: offset)
      offset += bytes.count
    }
    let header = try target.read(upTo: 100, at: 0)
    filled.pageSize = pageSize(header)
    var logged: Int?
    if let log = try files.open(.log) {
      let frames = try LogFrames(log.descriptor, after: nil)
      filled.log = frames.end
      logged = frames.pageCount
      if logged != nil {
        filled.pageSize = frames.pageSize
        filled.hasAllPages = frames.canHaveAllPages(knowing: offset / filled.pageSize)
        for (number, place) in frames.offsets {
          let page = try log.descriptor.read(upTo: filled.pageSize, at: place)
          try target.write(page, at: (Int(number) - 1) * filled.pageSize)
        }
      }
    }
    guard filled.pageSize >= 512 else { throw UnusableFile.noStore }
    filled.pageCount = logged ?? pageCount(header, size: offset, pageSize: filled.pageSize)
    filled.firstPage = try target.read(upTo: filled.pageSize, at: 0)
    return filled
  }
}

/// Which state of a database a copy of it has.
struct CopyMark {
  let state: DatabaseState
  let log: LogFrames.Position?

  /// - Parameters:
  ///   - state: The database when it was copied.
  ///   - log: The end of the copy's log, which SQLite has not opened yet; nil if it has none.
  init(_ state: DatabaseState, log: LogFrames.Position?) {
    self.state = state
    self.log = log
  }
}

/// Finds the rows in which two states of a database differ, by the pages that differ.
///
/// Rows are compared by their bytes. So every change is found, whichever program made it. The
/// unchanged rows of a page cost one comparison each.
struct RowDifference {
  /// A table, or an index, whose pages are known but not compared.
  struct Tree {
    let name: String
    let root: UInt32
    /// Whether changed rows are wanted.
    let isCompared: Bool
  }

  /// A row that differs: its values before and after; nil for none.
  struct ChangedRow {
    let rowID: Int64
    let before: TreeRecord?
    let after: TreeRecord?
  }

  private let copy: FollowedCopy
  private let changes: FollowedCopy.Changes
  private let trees: [Tree]
  private let usableSize: Int
  /// Whether pages say which page leads to them.
  private let hasPointers: Bool

  /// - Parameters:
  ///   - copy: The state before the changes.
  ///   - trees: All trees of the database. Both states have the same ones.
  /// - Throws: ``Unfollowable``, or an error of the system.
  init(_ copy: FollowedCopy, _ changes: FollowedCopy.Changes, trees: [Tree]) throws {
    self.copy = copy
    self.changes = changes
    self.trees = trees
    let (old, new) = (try copy.page(1), try changes.pages[1] ?? copy.page(1))
    // The number that SQLite counts up with every change of a table's definition, the size of
    // the part of a page that is used, and whether there are pointers.
    for field in [40..<44, 20..<21, 52..<56] where old[field] != new[field] {
      // The largest root page may differ only by whether there is one.
      if field.lowerBound == 52, (old.bigEndian(at: 52) == 0) == (new.bigEndian(at: 52) == 0) {
        continue
      }
      throw Unfollowable.otherLayout
    }
    usableSize = copy.pageSize - Int(old[20])
    hasPointers = new.bigEndian(at: 52) != 0
  }

  /// Returns the rows that differ in each compared tree, in order of their numbers.
  ///
  /// - Throws: ``Unfollowable``, or an error of the system.
  /// - Complexity: O(*k*) in the bytes of the changed pages, and O(*n*) in the number of pages,
  ///   most of which are not read.
  func rows() throws -> [[ChangedRow]] {
    let roots = trees.map(\.root)
    let old = try TreeMap(roots, pageCount: copy.pageCount) { try copy.page($0) }
    let new = try TreeMap(roots, pageCount: changes.pageCount) { try newPage($0) }
    // A page that is free now may have its old bytes.
    var differing = Set(changes.pages.keys).union(new.pages(differingFrom: old))
    try addOwnersOfOverflow(to: &differing, old, new)
    var before: [[Int64: [UInt8]]] = Array(repeating: [:], count: trees.count)
    var after = before
    for number in differing {
      if let tree = old.tree(of: number), trees[tree].isCompared, old.isLeaf(number) {
        try read(number, into: &before[tree]) { try copy.page($0) }
      }
      if let tree = new.tree(of: number), trees[tree].isCompared, new.isLeaf(number) {
        try read(number, into: &after[tree]) { try newPage($0) }
      }
    }
    return zip(before, after).map(Self.compare)
  }

  private static func compare(
    _ before: [Int64: [UInt8]], _ after: [Int64: [UInt8]]
  ) -> [ChangedRow] {
    var changed: [ChangedRow] = []
    for (rowID, old) in before where after[rowID] != old {
      changed.append(
        ChangedRow(
          rowID: rowID, before: TreeRecord(old), after: after[rowID].map { TreeRecord($0) }))
    }
    for (rowID, new) in after where before[rowID] == nil {
      changed.append(ChangedRow(rowID: rowID, before: nil, after: TreeRecord(new)))
    }
    return changed.sorted { $0.rowID < $1.rowID }
  }

  private func newPage(_ number: UInt32) throws -> [UInt8] {
    if let page = changes.pages[number] { return page }
    guard Int(number) <= copy.pageCount else { throw Unfollowable.unknownPage(number) }
    return try copy.page(number)
  }

  private func read(
    _ number: UInt32, into rows: inout [Int64: [UInt8]], _ page: (UInt32) throws -> [UInt8]
  ) throws {
    let leaf = try TreePage(number, page(number))
    guard leaf.kind == .tableLeaf else { throw Unfollowable.unknownPage(number) }
    for row in try leaf.rows(usableSize: usableSize) {
      var bytes = Array(row.local)
      try followOverflow(of: row, page) { _, content in bytes += content }
      rows[row.rowID] = bytes
    }
  }

  // MARK: Rows that are longer than a page

  private func followOverflow(
    of row: TreeRow, _ page: (UInt32) throws -> [UInt8],
    _ body: (UInt32, ArraySlice<UInt8>) throws -> Void
  ) throws {
    var next = row.overflow
    var left = row.size - row.local.count
    while let number = next, left > 0 {
      let bytes = try page(number)
      let count = min(left, usableSize - 4)
      try body(number, bytes[4..<4 + count])
      left -= count
      let following = bytes.bigEndian(at: 0)
      next = following == 0 ? nil : following
    }
    guard left == 0 else { throw Unfollowable.unknownPage(row.overflow ?? 0) }
  }

  /// Adds the leaves of rows whose rest may have changed although their leaf has not.
  private func addOwnersOfOverflow(
    to differing: inout Set<UInt32>, _ old: TreeMap, _ new: TreeMap
  ) throws {
    let others = changes.pages.keys.filter { old.tree(of: $0) == nil && new.tree(of: $0) == nil }
    guard !others.isEmpty else { return }
    if hasPointers {
      var seen: Set<UInt32> = []
      for page in others {
        if let leaf = try owner(ofOverflow: page, &seen) { differing.insert(leaf) }
      }
    } else {
      try addScannedOwners(of: Set(others), to: &differing, new)
    }
  }

  /// Climbs from a page to the leaf whose row it is a part of; nil if it is none, or was seen.
  private func owner(ofOverflow page: UInt32, _ seen: inout Set<UInt32>) throws -> UInt32? {
    let perPage = usableSize / 5 + 1
    // SQLite uses the page at this byte for its locks.
    let lockPage = (1 << 30) / copy.pageSize + 1
    var number = page
    while seen.insert(number).inserted {
      guard number > 2 else { return nil }
      var pointers = 2 + (Int(number) - 2) / perPage * perPage
      if pointers == lockPage { pointers += 1 }
      guard Int(number) > pointers else { return nil }
      let bytes = try newPage(UInt32(pointers))
      let place = 5 * (Int(number) - pointers - 1)
      guard place + 5 <= usableSize else { throw Unfollowable.unknownPage(UInt32(pointers)) }
      let parent = bytes.bigEndian(at: place + 1)
      switch bytes[place] {
      case 3: return parent
      case 4: number = parent
      // A free page, or one of a tree.
      default: return nil
      }
    }
    return nil
  }

  /// Looks through all rows that are longer than a page.
  private func addScannedOwners(
    of pages: Set<UInt32>, to differing: inout Set<UInt32>, _ new: TreeMap
  ) throws {
    for tree in trees.indices where trees[tree].isCompared {
      for leaf in new.leaves(of: tree) where !differing.contains(leaf) {
        for row in try TreePage(leaf, newPage(leaf)).rows(usableSize: usableSize)
        where row.overflow != nil {
          try followOverflow(of: row, newPage) { number, _ in
            if pages.contains(number) { differing.insert(leaf) }
          }
        }
      }
    }
  }
}
