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
