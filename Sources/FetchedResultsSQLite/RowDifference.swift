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
