/// Which page of a database belongs to which of its trees.
///
/// Only branches are read: they name their leaves. So it costs about a hundredth of reading all.
struct TreeMap {
  /// For each page, from number 1 on, the place of its tree and whether it is a leaf.
  private var owners: [UInt32]
  private let pageCount: Int

  private static let leaf: UInt32 = 1 << 31

  /// - Parameters:
  ///   - roots: The first page of each tree.
  ///   - page: Returns the bytes of a page.
  /// - Throws: ``Unfollowable``, or what `page` throws.
  /// - Complexity: O(*n*) in the pages, of which only branches are read.
  init(_ roots: [UInt32], pageCount: Int, page: (UInt32) throws -> [UInt8]) throws {
    owners = Array(repeating: 0, count: pageCount + 1)
    self.pageCount = pageCount
    for (tree, root) in roots.enumerated() { try walk(UInt32(tree + 1), from: root, page) }
  }

  /// The place of the tree that a page belongs to; nil if none does.
  func tree(of number: UInt32) -> Int? {
    guard number < owners.count else { return nil }
    let owner = owners[Int(number)] & ~Self.leaf
    return owner == 0 ? nil : Int(owner) - 1
  }

  /// Whether a page is a leaf of a tree.
  func isLeaf(_ number: UInt32) -> Bool {
    number < owners.count && owners[Int(number)] & Self.leaf != 0
  }

  /// The leaves of a tree.
  func leaves(of tree: Int) -> [UInt32] {
    let owner = UInt32(tree + 1) | Self.leaf
    return owners.indices.lazy.filter { owners[$0] == owner }.map { UInt32($0) }
  }

  /// The pages that are not of the same tree in another map, or not of the same kind.
  func pages(differingFrom other: TreeMap) -> [UInt32] {
    (1...max(owners.count, other.owners.count)).lazy.filter { number in
      let one = number < owners.count ? owners[number] : 0
      return one != (number < other.owners.count ? other.owners[number] : 0)
    }.map { UInt32($0) }
  }

  private mutating func walk(
    _ tree: UInt32, from root: UInt32, _ page: (UInt32) throws -> [UInt8]
  ) throws {
    // All leaves of a tree are equally deep.
    var depth = 0
    var number = root
    while true {
      let first = try TreePage(number, page(number))
      if first.kind.isLeaf { break }
      depth += 1
      guard depth < 30, let child = try first.children().first else {
        throw Unfollowable.unknownPage(number)
      }
      number = child
    }
    var level = [root]
    for distance in stride(from: depth, through: 0, by: -1) {
      var below: [UInt32] = []
      for number in level {
        // A page in two places is damage, and could lead round in a circle.
        guard number > 0, Int(number) <= pageCount, owners[Int(number)] == 0 else {
          throw Unfollowable.unknownPage(number)
        }
        owners[Int(number)] = tree | (distance == 0 ? Self.leaf : 0)
        if distance > 0 { below += try TreePage(number, page(number)).children() }
      }
      level = below
    }
  }
}
