/// A copy of a tree at one moment, which shares with an earlier copy what has not changed since.
///
/// The arrays of a tree's nodes are values. As long as a copy holds such an array, each change of
/// the node makes another one. So a node whose arrays are still those of the copy has the same
/// elements, and neither copying nor comparing looks at them.
package final class CountedTreeImage<Element: CountedElement, Item> {
  /// How many items there are.
  package let count: Int
  /// The sum of the weights of the elements.
  package let weight: Int
  private let source: CountedTreeNode<Element>
  private let elements: ContiguousArray<Element>
  private let counts: ContiguousArray<Int>
  private let weights: ContiguousArray<Int>
  private let children: ContiguousArray<CountedTreeImage>
  /// The items of a leaf; empty in other nodes.
  private let items: ContiguousArray<Item>
  /// How many levels are below.
  private let height: Int

  private init(
    _ source: CountedTreeNode<Element>, after old: CountedTreeImage?, _ item: (Element) -> Item
  ) {
    self.source = source
    elements = source.elements
    counts = source.counts
    weights = source.weights
    items = source.isLeaf ? ContiguousArray(source.elements.lazy.map(item)) : []
    var children: ContiguousArray<CountedTreeImage> = []
    if !source.isLeaf {
      children.reserveCapacity(source.children.count)
      for (place, child) in source.children.enumerated() {
        children.append(.image(of: child, after: old?.child(of: child, near: place), item))
      }
    }
    self.children = children
    count = source.totalCount
    weight = source.totalWeight
    height = children.first.map { $0.height + 1 } ?? 0
  }

  /// Returns a copy of a tree.
  ///
  /// - Parameters:
  ///   - old: An earlier copy of the same tree.
  ///   - item: What the copy keeps of an element.
  /// - Complexity: O(*n*) without an earlier copy; O(*k* log *n*) if *k* elements changed since.
  static func image(
    of tree: CountedTree<Element>, after old: CountedTreeImage?, _ item: (Element) -> Item
  ) -> CountedTreeImage {
    image(of: tree.root, after: old, item)
  }

  private static func image(
    of node: CountedTreeNode<Element>, after old: CountedTreeImage?, _ item: (Element) -> Item
  ) -> CountedTreeImage {
    if let old, old.isCurrent(of: node) { return old }
    return CountedTreeImage(node, after: old, item)
  }

  private func isCurrent(of node: CountedTreeNode<Element>) -> Bool {
    source === node && elements.hasStorage(of: node.elements)
      && counts.hasStorage(of: node.counts) && weights.hasStorage(of: node.weights)
  }

  /// The copy of a child, which is mostly where it was.
  private func child(of node: CountedTreeNode<Element>, near place: Int) -> CountedTreeImage? {
    if children.indices.contains(place), children[place].source === node { return children[place] }
    return children.first { $0.source === node }
  }
}

extension ContiguousArray {
  /// Whether two arrays have their elements at the same place in memory, and as many.
  ///
  /// If both exist at the same time, they are then equal.
  fileprivate func hasStorage(of other: Self) -> Bool {
    withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }
}

// MARK: - Reading

extension CountedTreeImage {
  /// The item at a rank, or nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  package func item(at rank: Int) -> Item? {
    guard rank >= 0, rank < count else { return nil }
    if children.isEmpty { return items[rank] }
    var rest = rank
    for child in children {
      if rest < child.count { return child.item(at: rest) }
      rest -= child.count
    }
    return nil
  }

  /// The sum of the weights of the first `rank` elements.
  ///
  /// - Complexity: O(log *n*).
  package func weight(before rank: Int) -> Int {
    if rank >= count { return weight }
    if children.isEmpty { return elements.prefix(rank).reduce(0) { $0 + $1.weight } }
    var rest = rank
    var sum = 0
    for child in children {
      if rest < child.count { return sum + child.weight(before: rest) }
      rest -= child.count
      sum += child.weight
    }
    return sum
  }

  /// Calls a closure with each item in order.
  package func forEachItem(_ body: (Item) -> Void) {
    for item in items { body(item) }
    for child in children { child.forEachItem(body) }
  }
}

// MARK: - Comparing

extension CountedTreeImage {
  /// A part of a copy.
  package enum Part {
    /// Items that another copy shares, as a whole and in the same order.
    case shared(CountedTreeImage)
    case item(Item)
  }

  /// Returns two copies in parts: what both share, and single items around it.
  ///
  /// What is shared is in the same order in both.
  ///
  /// - Complexity: O(*k* log *n*) for two copies of one tree between which *k* elements changed;
  ///   O(*n*) for others.
  package static func parts(
    of one: CountedTreeImage, and other: CountedTreeImage
  ) -> (one: [Part], other: [Part]) {
    var shared: Set<ObjectIdentifier> = []
    var (ones, others) = ([one], [other])
    while let first = ones.first, let second = others.first {
      // Only nodes of the same height can be the same.
      if first.height > second.height {
        ones = ones.flatMap(\.children)
        continue
      }
      if second.height > first.height {
        others = others.flatMap(\.children)
        continue
      }
      let known = Set(ones.map { ObjectIdentifier($0) })
      let same = Set(others.lazy.map { ObjectIdentifier($0) }.filter(known.contains))
      ones = ones.flatMap { same.contains(ObjectIdentifier($0)) ? [] : $0.children }
      others = others.flatMap { same.contains(ObjectIdentifier($0)) ? [] : $0.children }
      shared.formUnion(same)
    }
    return (one.parts(sharing: shared), other.parts(sharing: shared))
  }

  private func parts(sharing shared: Set<ObjectIdentifier>) -> [Part] {
    if shared.contains(ObjectIdentifier(self)) { return count == 0 ? [] : [.shared(self)] }
    return children.isEmpty ? items.map(Part.item) : children.flatMap { $0.parts(sharing: shared) }
  }
}

extension CountedTreeImage.Part {
  /// How many items the part has.
  package var count: Int {
    switch self {
    case .shared(let image): image.count
    case .item: 1
    }
  }
}

// MARK: - Results

/// The rows and sections of a controller at one moment.
///
/// It shares with an earlier image what has not changed since; see ``CountedTreeImage``.
package struct ResultsImage {
  /// A section's name, and how many rows it has.
  package struct Section: Equatable {
    package let name: ScalarString
    package let rowCount: Int
  }

  package typealias Rows = CountedTreeImage<ResultRows.Row, Int64>
  package typealias Sections = CountedTreeImage<SectionSlot, Section>

  /// The rows by their objects' numbers.
  package let rows: Rows
  package let sections: Sections

  /// The index of a row over all sections, or nil if there is none at the index path.
  ///
  /// - Complexity: O(log *n*).
  package func rank(of path: ResultsIndexPath) -> Int? {
    guard let section = sections.item(at: path.section), path.row >= 0,
      path.row < section.rowCount
    else { return nil }
    return sections.weight(before: path.section) + path.row
  }

  /// The object's number at an index path, or nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  package func number(at path: ResultsIndexPath) -> Int64? {
    rank(of: path).flatMap(rows.item(at:))
  }

  /// Whether both have the same rows in the same sections.
  ///
  /// - Complexity: As ``CountedTreeImage/parts(of:and:)``.
  package func isEqual(to other: Self) -> Bool {
    rows.isEqual(to: other.rows) && sections.isEqual(to: other.sections)
  }
}

extension CountedTreeImage where Item: Equatable {
  fileprivate func isEqual(to other: CountedTreeImage) -> Bool {
    if self === other { return true }
    guard count == other.count else { return false }
    let parts = Self.parts(of: self, and: other)
    return parts.one.elementsEqual(parts.other) { one, other in
      switch (one, other) {
      case (.shared(let one), .shared(let other)): one === other
      case (.item(let one), .item(let other)): one == other
      case (.shared, .item), (.item, .shared): false
      }
    }
  }
}
