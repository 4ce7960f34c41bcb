/// A node of a ``CountedTree``: a leaf with elements, or an inner node with children and their
/// first elements, counts and weights.
///
/// Only the tree reads and writes its nodes, and it calls no other code in the meantime. So the
/// checks of exclusive access are not needed.
package final class CountedTreeNode<Element: CountedElement> {
  /// The parent.
  ///
  /// The parent keeps this node alive, so it lives longer. The tree sets this to nil in a node that
  /// becomes the root.
  @exclusivity(unchecked) var parent: Unmanaged<CountedTreeNode>?
  @exclusivity(unchecked) var isLeaf = false
  @exclusivity(unchecked) var leafNumber: Int32 = -1
  @exclusivity(unchecked) var elements: ContiguousArray<Element> = []
  @exclusivity(unchecked) var children: ContiguousArray<CountedTreeNode> = []
  /// The first element below each child.
  ///
  /// A search reads no child except the one in which it continues.
  @exclusivity(unchecked) var firsts: ContiguousArray<Element> = []
  @exclusivity(unchecked) var counts: ContiguousArray<Int> = []
  @exclusivity(unchecked) var weights: ContiguousArray<Int> = []

  var totalCount: Int { isLeaf ? elements.count : counts.reduce(0, +) }

  var totalWeight: Int {
    isLeaf ? elements.reduce(0) { $0 + $1.weight } : weights.reduce(0, +)
  }

  /// The first element below the node, which is never empty.
  var firstElement: Element { isLeaf ? elements[0] : firsts[0] }

  func index(of child: CountedTreeNode) -> Int {
    var index = 0
    while children[index] !== child { index += 1 }
    return index
  }

  func append(_ child: CountedTreeNode) { insert(child, at: children.count) }

  func insert(_ child: CountedTreeNode, at index: Int) {
    child.parent = Unmanaged.passUnretained(self)
    children.insert(child, at: index)
    firsts.insert(child.firstElement, at: index)
    counts.insert(child.totalCount, at: index)
    weights.insert(child.totalWeight, at: index)
  }

  func removeChild(at index: Int) {
    children.remove(at: index)
    firsts.remove(at: index)
    counts.remove(at: index)
    weights.remove(at: index)
  }

  func moveChildren(from index: Int, to sibling: CountedTreeNode) {
    for child in children[index...] { sibling.append(child) }
    children.removeSubrange(index...)
    firsts.removeSubrange(index...)
    counts.removeSubrange(index...)
    weights.removeSubrange(index...)
  }
}
