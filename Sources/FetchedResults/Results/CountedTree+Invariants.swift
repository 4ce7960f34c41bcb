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
