/// Finds the surviving sections that do not keep their order.
///
/// Only a few sections can have passed others. The sections between two old or new places of those
/// stay or move together, as one block.
struct SectionReordering {
  /// A section that may have passed others.
  struct Mover {
    let oldIndex: Int
    /// How many of the other sections come before it after the batch.
    let ordinal: Int
  }

  /// The movers, in their new order.
  private let movers: [Mover]
  /// The indices of the sections that move or do not stay, ascending.
  private let leftOut: [Int]

  /// Returns the old indices of the sections that change places with others.
  ///
  /// - Parameters:
  ///   - movers: The sections that may have passed others, in their new order.
  ///   - leftOut: The old indices of the movers, and of the sections that do not stay, ascending.
  ///   - sectionCount: How many sections there are before the batch.
  static func find(_ movers: [Mover], leftOut: [Int], sectionCount: Int) -> Set<Int> {
    let search = Self(movers: movers, leftOut: leftOut)
    if search.keepOrder || mutation(.sectionsPassUnseen) { return [] }
    return search.find(others: sectionCount - leftOut.count)
  }

  /// How many of the other sections came before an index.
  private func oldOrdinal(_ index: Int) -> Int { index - leftOut.countBefore(index) }

  /// Whether the sections keep their places, which is the usual case.
  private var keepOrder: Bool {
    var last = -1
    for mover in movers {
      guard mover.oldIndex > last, mover.ordinal == oldOrdinal(mover.oldIndex) else {
        return false
      }
      last = mover.oldIndex
    }
    return true
  }

  private struct Piece {
    let oldKey: (Int, Int, Int)
    let newKey: (Int, Int, Int)
    let weight: Int
    let block: Range<Int>?
    let oldIndex: Int
  }

  private func find(others: Int) -> Set<Int> {
    var pieces: [Piece] = []
    var cuts: Set<Int> = [0, others]
    for (place, mover) in movers.enumerated() {
      let oldOrdinal = oldOrdinal(mover.oldIndex)
      cuts.formUnion([oldOrdinal, mover.ordinal])
      pieces.append(
        Piece(
          oldKey: (oldOrdinal, 0, mover.oldIndex), newKey: (mover.ordinal, 0, place),
          weight: 1, block: nil, oldIndex: mover.oldIndex))
    }
    let bounds = cuts.sorted()
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      pieces.append(
        Piece(
          oldKey: (start, 1, 0), newKey: (start, 1, 0), weight: end - start,
          block: start..<end, oldIndex: -1))
    }
    pieces.sort { $0.oldKey < $1.oldKey }
    let byNew = pieces.indices.sorted { pieces[$0].newKey < pieces[$1].newKey }
    var newPositions = [Int](repeating: 0, count: pieces.count)
    for (position, index) in byNew.enumerated() { newPositions[index] = position }
    let kept = KeptOrder.longest(newPositions: newPositions, weights: pieces.map(\.weight))
    var found: Set<Int> = []
    for (piece, isKept) in zip(pieces, kept) where !isKept {
      if let block = piece.block {
        found.formUnion(block.map { leftOut.number(leftOutAt: $0) })
      } else {
        found.insert(piece.oldIndex)
      }
    }
    return found
  }
}
