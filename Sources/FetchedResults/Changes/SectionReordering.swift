/// Finds the surviving sections that do not keep their order.
///
/// Only a section without unchanged rows can pass another. So the sections
/// between two such places, old or new, stay or go together, as one block.
struct SectionReordering {
  private let slots: [RowHomes.Slot]
  private let old: OldSections

  /// Returns the old indices of the sections that change places with others.
  ///
  /// - Complexity: O(*k* log *k*), and the sections that are found.
  static func find(
    _ slots: [RowHomes.Slot], old: OldSections, sectionCount: Int
  ) -> Set<Int> {
    let refilled = slots.indices.filter { slots[$0].oldIndex != nil }
    let search = Self(slots: slots, old: old)
    if search.keepOrder(refilled) || mutation(.sectionsPassUnseen) { return [] }
    return search.find(refilled, survivors: sectionCount - old.emptied.count)
  }

  /// Whether sections that were emptied and filled again stand where they
  /// stood, as most do.
  private func keepOrder(_ refilled: [Int]) -> Bool {
    var last = -1
    for index in refilled {
      guard let oldIndex = slots[index].oldIndex, oldIndex > last,
        slots[index].ordinal == old.ordinal(of: oldIndex)
      else { return false }
      last = oldIndex
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

  private func find(_ refilled: [Int], survivors: Int) -> Set<Int> {
    var pieces: [Piece] = []
    var cuts: Set<Int> = [0, survivors]
    for index in refilled {
      guard let oldIndex = slots[index].oldIndex else { continue }
      let oldOrdinal = old.ordinal(of: oldIndex)
      cuts.formUnion([oldOrdinal, slots[index].ordinal])
      pieces.append(
        Piece(
          oldKey: (oldOrdinal, 0, oldIndex), newKey: (slots[index].ordinal, 0, index),
          weight: 1, block: nil, oldIndex: oldIndex))
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
        found.formUnion(block.map { old.index(ofOrdinal: $0) })
      } else {
        found.insert(piece.oldIndex)
      }
    }
    return found
  }
}
