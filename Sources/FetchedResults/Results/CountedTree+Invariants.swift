extension CountedTree {
  /// Stops the program if the tree is inconsistent.
  ///
  /// - Complexity: O(*n*); for tests.
  package func checkInvariants() {
    precondition(root.parent == nil, "the root has a parent")
    precondition(count == root.totalCount, "the tree's count is wrong")
    precondition(weight == root.totalWeight, "the tree's weight is wrong")
    _ = checkDepth(of: root)
  }

  private func checkDepth(of node: CountedTreeNode<Element>) -> Int {
    guard !node.isLeaf else {
      precondition(node.elements.count <= shape.leafCapacity, "a leaf is overfull")
      precondition(node === root || !node.elements.isEmpty, "a leaf is empty")
      precondition(leaf(node.leafNumber) === node, "a leaf is not registered")
      return 0
    }
    precondition(node.children.count <= shape.fanOut, "a node has too many children")
    precondition(node === root ? node.children.count > 1 : !node.children.isEmpty)
    var depths: Set<Int> = []
    for (index, child) in node.children.enumerated() {
      precondition(child.parent?.takeUnretainedValue() === node, "a child has another parent")
      precondition(node.firsts[index] == child.firstElement, "a child begins otherwise")
      precondition(node.counts[index] == child.totalCount, "a count is wrong")
      precondition(node.weights[index] == child.totalWeight, "a weight is wrong")
      depths.insert(checkDepth(of: child))
    }
    precondition(depths.count == 1, "the leaves lie at different depths")
    return (depths.first ?? 0) + 1
  }
}
