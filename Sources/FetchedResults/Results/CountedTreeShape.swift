/// The most elements in a leaf of a ``CountedTree``, and the most children in
/// an inner node.
package struct CountedTreeShape: Sendable {
  let leafCapacity: Int
  let fanOut: Int

  /// The shape that serves a million elements well.
  package static let standard = Self(leafCapacity: 128, fanOut: 32)

  /// The shape for sections: their weights are added up one by one within a
  /// leaf, where a row's place is its rank.
  var forSections: Self { Self(leafCapacity: min(leafCapacity, 32), fanOut: fanOut) }

  /// Creates a shape; a small one makes a deep tree of few elements.
  ///
  /// - Precondition: A leaf holds at least 2, an inner node at least 3.
  package init(leafCapacity: Int, fanOut: Int) {
    precondition(leafCapacity >= 2 && fanOut >= 3, "nodes of this shape cannot be halved")
    self.leafCapacity = leafCapacity
    self.fanOut = fanOut
  }
}
