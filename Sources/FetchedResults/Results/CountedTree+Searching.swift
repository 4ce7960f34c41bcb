extension CountedTree {
  /// An element, its rank, and the offset in it of a unit of weight.
  package typealias Found = (element: Element, rank: Int, offset: Int)

  /// Returns, for each of several searches, the rank of the first element in a range for which
  /// `predicate` is false.
  ///
  /// It must be true for all elements of the range before, and false for all after.
  ///
  /// All searches make one step before any makes the next. No search needs the data that another
  /// one waits for, so the waits for memory overlap.
  ///
  /// - Parameters:
  ///   - ranks: The range of each search.
  ///   - touch: Called with the elements of a step before any of them is compared.
  ///   - predicate: Called with the index of a search, counted from 0, and an element.
  /// - Complexity: O(*k* log *n*) calls of `predicate`.
  package func partitionPoints(
    in ranks: [Range<Int>], touch: (Element) -> Void = { _ in },
    _ predicate: (Int, Element) -> Bool
  ) -> [Int] {
    var searches = ContiguousArray(ranks.map { RankSearch(root, bounds: $0, count: count) })
    while let first = searches.first {
      narrow(&searches, touch, predicate)
      if first.isInLeaf { break }
      for index in searches.indices { searches[index].goDown() }
    }
    return searches.map { $0.rank + $0.high }
  }

  /// Returns the element that contains the unit of weight number `weight`, counted from 0, its
  /// rank, and the offset of the unit in the element.
  ///
  /// - Precondition: `weight` is at least 0 and less than ``weight``.
  /// - Complexity: O(log *n*).
  package func find(weight target: Int) -> Found {
    var search = weightSearch(target)
    while !search.isInLeaf { search.goDown() }
    return search.found()
  }

  /// Returns several elements at once, each as ``find(weight:)`` would.
  ///
  /// - Precondition: Each target is at least 0 and less than ``weight``.
  /// - Complexity: O(*k* log *n*).
  package func find(weights targets: [Int]) -> [Found] {
    var searches = ContiguousArray(targets.lazy.map(weightSearch))
    while let first = searches.first, !first.isInLeaf {
      for index in searches.indices { searches[index].goDown() }
    }
    return searches.map { $0.found() }
  }

  private func weightSearch(_ target: Int) -> WeightSearch<Element> {
    require(target >= 0 && target < weight, "weight \(target) is outside 0..<\(weight)")
    return WeightSearch(root, rest: target)
  }

  /// Returns the ranks of several elements at once, each as
  /// ``rank(inLeaf:where:)`` would.
  ///
  /// - Parameter isWanted: Called with the index of a search, counted from 0, and an element.
  package func ranks(inLeaves numbers: [Int32], where isWanted: (Int, Element) -> Bool) -> [Int?] {
    let leaves = numbers.map { leaf($0).map { Unmanaged.passUnretained($0) } }
    let offsets = leaves.enumerated().map { place, leaf in
      leaf?._withUnsafeGuaranteedRef { $0.elements.firstIndex { isWanted(place, $0) } }
    }
    return zip(leaves, offsets).map { leaf, offset in
      guard let leaf, let offset else { return nil }
      return leaf._withUnsafeGuaranteedRef { position(inLeaf: $0, offset: offset).rank }
    }
  }

  /// Halves the searched part of each node until one place is left.
  @inline(__always)
  func narrow(
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

/// The state of the search for one rank.
struct RankSearch<Element: CountedElement> {
  /// The tree keeps its nodes alive, and does not change in the meantime.
  let node: Unmanaged<CountedTreeNode<Element>>
  let isInLeaf: Bool
  /// How many elements come before the node.
  let rank: Int
  /// The ranks that are searched.
  private let bounds: Range<Int>
  /// The last place in the node that is known to be before the result.
  ///
  /// In a leaf there may be none; in a node with children it is at least the first.
  var low: Int
  /// The first place in the node that is known to be after the result.
  var high: Int

  /// - Parameter count: How many elements the node holds.
  init(_ node: CountedTreeNode<Element>, rank: Int = 0, bounds: Range<Int>, count: Int) {
    self.node = Unmanaged.passUnretained(node)
    self.rank = rank
    self.bounds = bounds
    isInLeaf = node.isLeaf
    if isInLeaf {
      low = Swift.max(bounds.lowerBound - rank, 0) - 1
      high = Swift.min(bounds.upperBound - rank, count)
    } else {
      low = 0
      high = node.firsts.count
      if bounds.lowerBound > rank || bounds.upperBound < rank + count { leaveOut(node) }
    }
  }

  /// Skips the children that hold no rank of the bounds.
  private mutating func leaveOut(_ node: CountedTreeNode<Element>) {
    var end = rank + node.counts[0]
    while end <= bounds.lowerBound, low + 1 < high {
      low += 1
      end += node.counts[low]
    }
    var child = low + 1
    while end < bounds.upperBound, child < high {
      end += node.counts[child]
      child += 1
    }
    high = child
  }

  @inline(__always)
  func element(_ place: Int) -> Element {
    node._withUnsafeGuaranteedRef { isInLeaf ? $0.elements[place] : $0.firsts[place] }
  }

  /// Continues in the child that holds the place.
  mutating func goDown() {
    self = node._withUnsafeGuaranteedRef { node in
      var rank = rank
      for child in 0..<low { rank += node.counts[child] }
      return Self(node.children[low], rank: rank, bounds: bounds, count: node.counts[low])
    }
  }
}

/// The state of the search for one unit of weight.
private struct WeightSearch<Element: CountedElement> {
  /// The tree keeps its nodes alive, and does not change in the meantime.
  private var node: Unmanaged<CountedTreeNode<Element>>
  let isInLeaf: Bool
  /// How many elements come before the node.
  private let rank: Int
  /// How much weight is between the beginning of the node and the unit.
  private let rest: Int

  init(_ node: CountedTreeNode<Element>, rank: Int = 0, rest: Int) {
    self.node = Unmanaged.passUnretained(node)
    self.rank = rank
    self.rest = rest
    isInLeaf = node.isLeaf
  }

  /// Continues in the child that holds the unit.
  mutating func goDown() {
    self = node._withUnsafeGuaranteedRef { node in
      var rank = rank
      var rest = rest
      var child = 0
      while rest >= node.weights[child] {
        rest -= node.weights[child]
        rank += node.counts[child]
        child += 1
      }
      return Self(node.children[child], rank: rank, rest: rest)
    }
  }

  func found() -> CountedTree<Element>.Found {
    node._withUnsafeGuaranteedRef { leaf in
      var rest = rest
      var offset = 0
      while rest >= leaf.elements[offset].weight {
        rest -= leaf.elements[offset].weight
        offset += 1
      }
      return (leaf.elements[offset], rank + offset, rest)
    }
  }
}
