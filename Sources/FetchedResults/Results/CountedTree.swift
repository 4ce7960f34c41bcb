/// An element of a ``CountedTree``.
package protocol CountedElement: Equatable {
  /// How much the element weighs: 1 for a row, its rows for a section.
  var weight: Int { get }
}

/// An ordered sequence in a B+ tree whose nodes know how many elements, and how much weight, are
/// below each child.
///
/// Insert, remove, rank and select take O(log *n*). Each leaf has a number. The owner may keep the
/// number of an element's leaf, to find the element's rank later. `didPlace` reports each element
/// that moves to another leaf.
package final class CountedTree<Element: CountedElement> {
  let shape: CountedTreeShape
  @exclusivity(unchecked) package private(set) var root: CountedTreeNode<Element>
  /// Leaves by number; nil if a number is free.
  @exclusivity(unchecked) private var leaves: ContiguousArray<CountedTreeNode<Element>?> = []
  private var freeLeaves: [Int32] = []
  /// How many elements there are.
  @exclusivity(unchecked) package private(set) var count = 0
  /// The sum of all elements' weights.
  @exclusivity(unchecked) package private(set) var weight = 0
  /// Called with each element that was put into a leaf, and the leaf's number.
  private let didPlace: (Element, Int32) -> Void

  /// Creates a tree of elements in order.
  ///
  /// - Complexity: O(*n*).
  package init(
    _ elements: some Sequence<Element>, shape: CountedTreeShape = .standard,
    didPlace: @escaping (Element, Int32) -> Void
  ) {
    self.shape = shape
    self.didPlace = didPlace
    root = CountedTreeNode()
    register(root)
    build(elements)
  }
}

// MARK: - Walking

extension CountedTree {
  /// Returns the leaf with a number given to `didPlace`.
  @inline(__always)
  func leaf(_ number: Int32) -> CountedTreeNode<Element>? {
    let index = Int(number)
    return leaves.indices.contains(index) ? leaves[index] : nil
  }

  /// Goes from the root down to a leaf, by the children that are chosen.
  ///
  /// Each node is kept by its parent, and the root by the tree. So no reference is counted on the
  /// way, which would write to every node.
  @inline(__always)
  func descend(
    _ chooseChild: (CountedTreeNode<Element>) -> Int
  ) -> Unmanaged<CountedTreeNode<Element>> {
    var node = Unmanaged.passUnretained(root)
    while true {
      let next = node._withUnsafeGuaranteedRef { node in
        node.isLeaf ? nil : Unmanaged.passUnretained(node.children[chooseChild(node)])
      }
      guard let next else { return node }
      node = next
    }
  }

  /// Goes up from a leaf to the root.
  ///
  /// - Parameter visit: Called with each parent and the index of the child in it. It returns
  ///   whether to continue.
  @inline(__always)
  func climb(
    from leaf: CountedTreeNode<Element>, _ visit: (CountedTreeNode<Element>, Int) -> Bool
  ) {
    var node = Unmanaged.passUnretained(leaf)
    while true {
      let next = node._withUnsafeGuaranteedRef { child -> Unmanaged<CountedTreeNode<Element>>? in
        guard let parent = child.parent else { return nil }
        let goesOn = parent._withUnsafeGuaranteedRef { visit($0, $0.index(of: child)) }
        return goesOn ? parent : nil
      }
      guard let next else { return }
      node = next
    }
  }
}

// MARK: - Changing

extension CountedTree {
  /// Inserts an element at a rank.
  ///
  /// - Precondition: `rank` is at least 0 and at most ``count``.
  package func insert(_ element: Element, at rank: Int) {
    require(rank >= 0 && rank <= count, "rank \(rank) is outside 0...\(count)")
    let added = element.weight
    let isAppend = rank == count
    count += 1
    weight += added
    var rest = rank
    let leaf = descend { node in
      var child = 0
      while rest > node.counts[child] {
        rest -= node.counts[child]
        child += 1
      }
      node.counts[child] += 1
      node.weights[child] += added
      return child
    }.takeUnretainedValue()
    leaf.elements.insert(element, at: rest)
    if rest == 0 { updateFirsts(above: leaf) }
    didPlace(element, leaf.leafNumber)
    if leaf.elements.count > shape.leafCapacity { split(leaf, keepsFill: isAppend) }
  }

  /// Removes and returns the element at a rank.
  @discardableResult
  package func remove(at rank: Int) -> Element {
    let (leaf, offset) = location(of: rank)
    let element = leaf.elements.remove(at: offset)
    add(count: -1, weight: -element.weight, above: leaf)
    if offset == 0, !leaf.elements.isEmpty { updateFirsts(above: leaf) }
    if leaf.elements.isEmpty || leaf.elements.count < shape.leafCapacity / 4 { shrink(leaf) }
    return element
  }

  /// Changes the weight of the element at a rank.
  package func update(at rank: Int, _ change: (inout Element) -> Void) {
    let (leaf, offset) = location(of: rank)
    let weight = leaf.elements[offset].weight
    change(&leaf.elements[offset])
    if offset == 0 { updateFirsts(above: leaf) }
    let difference = leaf.elements[offset].weight - weight
    if difference != 0 { add(count: 0, weight: difference, above: leaf) }
  }

  /// Updates the parents of a node that begins with another element.
  private func updateFirsts(above node: CountedTreeNode<Element>) {
    let first = node.firstElement
    climb(from: node) { parent, index in
      parent.firsts[index] = first
      return index == 0
    }
  }

  private func add(
    count addedCount: Int, weight addedWeight: Int, above node: CountedTreeNode<Element>
  ) {
    count += addedCount
    weight += addedWeight
    climb(from: node) { parent, index in
      parent.counts[index] += addedCount
      parent.weights[index] += addedWeight
      return true
    }
  }

  /// Splits an overfull node in halves.
  ///
  /// The last leaf of all stays full when the tree grows at its end.
  private func split(_ node: CountedTreeNode<Element>, keepsFill: Bool = false) {
    let sibling = CountedTreeNode<Element>()
    if node.isLeaf {
      let cut = keepsFill ? node.elements.count - 1 : node.elements.count / 2
      register(sibling)
      sibling.elements = ContiguousArray(node.elements[cut...])
      sibling.elements.reserveCapacity(shape.leafCapacity + 1)
      node.elements.removeSubrange(cut...)
      for element in sibling.elements { didPlace(element, sibling.leafNumber) }
    } else {
      node.moveChildren(from: node.children.count / 2, to: sibling)
    }
    insert(sibling, after: node)
  }

  private func insert(
    _ sibling: CountedTreeNode<Element>, after node: CountedTreeNode<Element>
  ) {
    guard let parent = node.parent?.takeUnretainedValue() else {
      let newRoot = CountedTreeNode<Element>()
      newRoot.append(node)
      newRoot.append(sibling)
      root = newRoot
      return
    }
    let index = parent.index(of: node)
    parent.counts[index] = node.totalCount
    parent.weights[index] = node.totalWeight
    parent.insert(sibling, at: index + 1)
    if parent.children.count > shape.fanOut { split(parent) }
  }

  /// Joins a leaf with few elements to a neighbour that has room, or removes it if it is empty.
  private func shrink(_ leaf: CountedTreeNode<Element>) {
    guard let parent = leaf.parent?.takeUnretainedValue() else { return }
    let index = parent.index(of: leaf)
    if leaf.elements.isEmpty {
      release(leaf)
      removeChild(at: index, of: parent)
      return
    }
    for neighbour in [index - 1, index + 1] where parent.children.indices.contains(neighbour) {
      let other = parent.children[neighbour]
      guard other.elements.count + leaf.elements.count <= shape.leafCapacity / 2 else { continue }
      let (front, back) = neighbour < index ? (other, leaf) : (leaf, other)
      for element in back.elements { didPlace(element, front.leafNumber) }
      front.elements += back.elements
      let frontIndex = min(index, neighbour)
      parent.counts[frontIndex] = front.totalCount
      parent.weights[frontIndex] = front.totalWeight
      release(back)
      removeChild(at: frontIndex + 1, of: parent)
      return
    }
  }

  private func removeChild(at index: Int, of node: CountedTreeNode<Element>) {
    node.removeChild(at: index)
    if index == 0, !node.children.isEmpty { updateFirsts(above: node) }
    if node.children.isEmpty, let parent = node.parent?.takeUnretainedValue() {
      removeChild(at: parent.index(of: node), of: parent)
    }
    while root.children.count == 1 {
      root = root.children[0]
      root.parent = nil
    }
    if !root.isLeaf && root.children.isEmpty {
      root = CountedTreeNode()
      register(root)
    }
  }
}

// MARK: - Building

extension CountedTree {
  /// Replaces all elements.
  ///
  /// - Complexity: O(*n*).
  func replaceAll(by elements: some Sequence<Element>) {
    leaves.removeAll()
    freeLeaves.removeAll()
    (count, weight) = (0, 0)
    root = CountedTreeNode()
    register(root)
    build(elements)
  }

  /// Fills an empty tree, with leaves seven eighths full.
  ///
  /// Each leaf is collected in an array first, because accessing the leaf for each element would
  /// dominate the time.
  private func build(_ elements: some Sequence<Element>) {
    let fill = shape.leafCapacity * 7 / 8
    let didPlace = didPlace
    var level: [CountedTreeNode<Element>] = []
    var iterator = elements.makeIterator()
    var next = iterator.next()
    while next != nil {
      let leaf = level.isEmpty ? root : CountedTreeNode<Element>()
      if !level.isEmpty { register(leaf) }
      let number = leaf.leafNumber
      var filled: ContiguousArray<Element> = []
      filled.reserveCapacity(shape.leafCapacity + 1)
      while let element = next, filled.count < fill {
        filled.append(element)
        weight += element.weight
        didPlace(element, number)
        next = iterator.next()
      }
      count += filled.count
      leaf.elements = filled
      level.append(leaf)
    }
    while level.count > 1 {
      var parents: [CountedTreeNode<Element>] = []
      for node in level {
        if parents.last.map({ $0.children.count >= shape.fanOut * 7 / 8 }) ?? true {
          parents.append(CountedTreeNode())
        }
        parents[parents.count - 1].append(node)
      }
      level = parents
    }
    if let top = level.first { root = top }
  }

  private func register(_ leaf: CountedTreeNode<Element>) {
    leaf.isLeaf = true
    if let number = freeLeaves.popLast() {
      leaf.leafNumber = number
      leaves[Int(number)] = leaf
    } else {
      leaf.leafNumber = Int32(leaves.count)
      leaves.append(leaf)
    }
  }

  private func release(_ leaf: CountedTreeNode<Element>) {
    leaves[Int(leaf.leafNumber)] = nil
    freeLeaves.append(leaf.leafNumber)
  }
}

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

/// The most elements in a leaf of a ``CountedTree``, and the most children in
/// an inner node.
package struct CountedTreeShape: Sendable {
  let leafCapacity: Int
  let fanOut: Int

  /// A shape that is fast for a million elements.
  package static let standard = Self(leafCapacity: 128, fanOut: 32)

  /// The shape for sections.
  ///
  /// Within a leaf, the weights of sections must be added up, while the rank of a row needs no sum.
  var forSections: Self { Self(leafCapacity: min(leafCapacity, 32), fanOut: fanOut) }

  /// Creates a shape.
  ///
  /// A small one makes deep trees of few elements.
  ///
  /// - Precondition: A leaf holds at least 2, an inner node at least 3.
  package init(leafCapacity: Int, fanOut: Int) {
    require(leafCapacity >= 2 && fanOut >= 3, "nodes of this shape cannot be halved")
    self.leafCapacity = leafCapacity
    self.fanOut = fanOut
  }
}
