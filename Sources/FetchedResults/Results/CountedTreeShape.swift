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
