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
