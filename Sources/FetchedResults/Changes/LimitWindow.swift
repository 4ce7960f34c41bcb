/// The part of all matching rows that remains after an offset and a limit.
package struct LimitWindow: Hashable, Sendable {
  /// How many matching rows come before the first one of the window.
  package let offset: Int
  /// The most rows of the window; nil for no limit.
  package let limit: Int?

  /// - Returns: Nil if a request has neither an offset nor a limit.
  package init?(_ request: FetchRequest) {
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else { return nil }
    offset = max(request.fetchOffset, 0)
    limit = request.fetchLimit > 0 ? request.fetchLimit : nil
  }

  /// The ranks of the window among some rows.
  package func ranks(among count: Int) -> Range<Int> {
    let first = min(offset, count)
    return first..<first + min(limit ?? .max, count - first)
  }
}

/// All matching rows, in the sort order and without sections, of a controller that keeps the limit
/// of its request.
///
/// They include the row that comes in when another one leaves.
struct KeptLimit {
  let window: LimitWindow
  let rows: SectionedResults

  init(_ window: LimitWindow, _ numbers: [Int64], shape: CountedTreeShape = .standard) {
    self.window = window
    rows = SectionedResults(numbers: numbers, runs: [], isSectioned: false, shape: shape)
  }
}
