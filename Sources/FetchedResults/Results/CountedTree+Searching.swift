extension CountedTree {
  /// Returns the element at a rank.
  package subscript(rank: Int) -> Element {
    let (leaf, offset) = location(of: rank)
    return leaf.elements[offset]
  }

  /// Returns the leaf and the offset in it of the element at a rank.
  ///
  /// - Precondition: `rank` is at least 0 and less than ``count``.
  func location(of rank: Int) -> (leaf: CountedTreeNode<Element>, offset: Int) {
    require(rank >= 0 && rank < count, "rank \(rank) is outside 0..<\(count)")
    var rest = rank
    let leaf = descend { node in
      var child = 0
      while rest >= node.counts[child] {
        rest -= node.counts[child]
        child += 1
      }
      return child
    }
    return (leaf.takeUnretainedValue(), rest)
  }

  /// Returns the rank and the weight before the element at an offset of a leaf.
  func position(inLeaf leaf: CountedTreeNode<Element>, offset: Int) -> (rank: Int, weight: Int) {
    var rank = offset
    var weight = 0
    for element in leaf.elements[..<offset] { weight += element.weight }
    climb(from: leaf) { parent, index in
      for sibling in 0..<index {
        rank += parent.counts[sibling]
        weight += parent.weights[sibling]
      }
      return true
    }
    return (rank, weight)
  }

  /// Calls `body` with each leaf's number and its elements, in order.
  func forEachLeaf(_ body: (Int32, ContiguousArray<Element>) -> Void) {
    func visit(_ node: CountedTreeNode<Element>) {
      if node.isLeaf {
        body(node.leafNumber, node.elements)
      } else {
        for child in node.children { visit(child) }
      }
    }
    visit(root)
  }

  /// Returns the rank of the one element of a leaf for which `isWanted` is true, or nil if there is
  /// no such leaf or element.
  ///
  /// - Complexity: O(log *n*).
  package func rank(inLeaf number: Int32, where isWanted: (Element) -> Bool) -> Int? {
    guard let leaf = leaf(number), let offset = leaf.elements.firstIndex(where: isWanted) else {
      return nil
    }
    return position(inLeaf: leaf, offset: offset).rank
  }

  /// Returns the sum of the weights of the first `rank` elements.
  package func weight(before rank: Int) -> Int {
    if rank >= count { return weight }
    let (leaf, offset) = location(of: rank)
    return position(inLeaf: leaf, offset: offset).weight
  }

  /// Returns the elements from a rank to the end of its leaf.
  ///
  /// A walk then costs O(log *n*) only once for each leaf.
  package func run(from rank: Int) -> ArraySlice<Element> {
    let (leaf, offset) = location(of: rank)
    return leaf.elements[offset...]
  }
}

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
  ///   - touchKeys: Called with them afterwards, if it is given.
  ///   - predicate: Called with the index of a search, counted from 0, and an element.
  /// - Complexity: O(*k* log *n*) calls of `predicate`.
  package func partitionPoints(
    in ranks: [Range<Int>], touch: (Element) -> Void = { _ in },
    touchKeys: ((Element) -> Void)? = nil, _ predicate: (Int, Element) -> Bool
  ) -> [Int] {
    var searches = ContiguousArray(ranks.map { RankSearch(root, bounds: $0, count: count) })
    while let first = searches.first {
      narrow(&searches, touch, touchKeys, predicate)
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
    _ touchKeys: ((Element) -> Void)?, _ predicate: (Int, Element) -> Bool
  ) {
    var isOver = false
    while !isOver {
      isOver = true
      for index in searches.indices where searches[index].high - searches[index].low > 1 {
        touch(searches[index].element((searches[index].low + searches[index].high) / 2))
      }
      if let touchKeys {
        for index in searches.indices where searches[index].high - searches[index].low > 1 {
          touchKeys(searches[index].element((searches[index].low + searches[index].high) / 2))
        }
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

extension CountedTree {
  /// Stops the program if the tree is inconsistent.
  ///
  /// - Complexity: O(*n*); for tests.
  package func checkInvariants() {
    require(root.parent == nil, "the root has a parent")
    require(count == root.totalCount, "the tree's count is wrong")
    require(weight == root.totalWeight, "the tree's weight is wrong")
    _ = checkDepth(of: root)
  }

  private func checkDepth(of node: CountedTreeNode<Element>) -> Int {
    guard !node.isLeaf else {
      require(node.elements.count <= shape.leafCapacity, "a leaf is overfull")
      require(node === root || !node.elements.isEmpty, "a leaf is empty")
      require(leaf(node.leafNumber) === node, "a leaf is not registered")
      return 0
    }
    require(node.children.count <= shape.fanOut, "a node has too many children")
    require(
      node === root ? node.children.count > 1 : !node.children.isEmpty,
      "a node has too few children")
    var depths: Set<Int> = []
    for (index, child) in node.children.enumerated() {
      require(child.parent?.takeUnretainedValue() === node, "a child has another parent")
      require(node.firsts[index] == child.firstElement, "a child begins otherwise")
      require(node.counts[index] == child.totalCount, "a count is wrong")
      require(node.weights[index] == child.totalWeight, "a weight is wrong")
      depths.insert(checkDepth(of: child))
    }
    require(depths.count == 1, "the leaves lie at different depths")
    return (depths.first ?? 0) + 1
  }
}
