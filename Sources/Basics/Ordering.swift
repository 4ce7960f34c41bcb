extension Sequence {
  /// Returns the elements in order; equal ones stay as they are.
  ///
  /// The compiler makes a copy of `sorted(by:)` for each closure, which is 4 kB of code. This
  /// method sorts the places of the elements, so there is one copy for all. It asks the closure
  /// through a pointer, and moves each element once more. So a list that is long or often sorted is
  /// worth a copy of `sorted(by:)`, and so is one in a target compiled without optimisation.
  ///
  /// - Complexity: O(*n* log *n*) calls of `precedes`.
  @inlinable package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    guard elements.count > 1 else { return elements }
    return orderedPlaces(elements.count) { precedes(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}

/// Returns the numbers below `count`, in the order in which `precedes` puts them.
@usableFromInline package func orderedPlaces(_ count: Int, by precedes: (Int, Int) -> Bool) -> [Int]
{
  (0..<count).sorted(by: precedes)
}

extension RandomAccessCollection {
  /// Returns the index of the first element that meets a condition; `endIndex` if none does.
  ///
  /// All elements after that one must meet the condition too.
  ///
  /// - Complexity: O(log *n*) calls of `meets`.
  @inlinable package func partitioningIndex<Failure: Error>(
    where meets: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Index {
    var start = startIndex
    var count = self.count
    while count > 0 {
      let half = count / 2
      let middle = index(start, offsetBy: half)
      if try meets(self[middle]) {
        count = half
      } else {
        start = index(after: middle)
        count -= half + 1
      }
    }
    return start
  }
}
