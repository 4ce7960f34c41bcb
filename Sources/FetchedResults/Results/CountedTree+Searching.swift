extension CountedTree {
  /// Returns several ranks at once, each as ``partitionPoint(_:)`` would.
  ///
  /// All searches make a step before any makes the next: none of them needs
  /// what another one waits for, so that the waits for memory fall together.
  ///
  /// - Parameters:
  ///   - touch: Called with the elements that a step will look at, before it
  ///     looks at any.
  ///   - predicate: Called with the place of a search, counted from 0, and an
  ///     element.
  /// - Complexity: O(*k* log *n*) calls of `predicate`.
  package func partitionPoints(
    count: Int, touch: (Element) -> Void = { _ in }, _ predicate: (Int, Element) -> Bool
  ) -> [Int] {
    var searches = ContiguousArray(repeating: RankSearch(root), count: count)
    while let first = searches.first {
      narrow(&searches, touch, predicate)
      if first.isInLeaf { break }
      for index in searches.indices { searches[index].goDown() }
    }
    return searches.map { $0.rank + $0.high }
  }

  /// Halves what is searched of each node until one place is left.
  @inline(__always)
  private func narrow(
    _ searches: inout ContiguousArray<RankSearch<Element>>, _ touch: (Element) -> Void,
    _ predicate: (Int, Element) -> Bool
  ) {
    var isOver = false
    while !isOver {
      isOver = true
      for index in searches.indices where searches[index].high - searches[index].low > 1 {
        touch(searches[index].element((searches[index].low + searches[index].high) / 2))
      }
      for index in searches.indices where searches[index].high - searches[index].low > 1 {
        isOver = false
        let middle = (searches[index].low + searches[index].high) / 2
        if predicate(index, searches[index].element(middle)) {
          searches[index].low = middle
        } else {
          searches[index].high = middle
        }
      }
    }
  }
}

/// How far the search for one rank is.
private struct RankSearch<Element: CountedElement> {
  /// The tree, which does not change meanwhile, holds its nodes.
  private var node: Unmanaged<CountedTreeNode<Element>>
  let isInLeaf: Bool
  /// How many elements stand before the node.
  private(set) var rank: Int
  /// The last place in the node that is known to belong to the front: of a
  /// leaf perhaps none, of a node with children always the first.
  var low: Int
  /// The first place in the node that is known not to.
  var high: Int

  init(_ node: CountedTreeNode<Element>, rank: Int = 0) {
    self.node = Unmanaged.passUnretained(node)
    self.rank = rank
    isInLeaf = node.isLeaf
    low = isInLeaf ? -1 : 0
    high = isInLeaf ? node.elements.count : node.firsts.count
  }

  @inline(__always)
  func element(_ place: Int) -> Element {
    node._withUnsafeGuaranteedRef { isInLeaf ? $0.elements[place] : $0.firsts[place] }
  }

  /// Goes on in the child that holds the place.
  mutating func goDown() {
    self = node._withUnsafeGuaranteedRef { node in
      var rank = rank
      for child in 0..<low { rank += node.counts[child] }
      return Self(node.children[low], rank: rank)
    }
  }
}
