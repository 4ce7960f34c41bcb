/// A key to sort by, its direction, and how strings compare.
public struct FetchSortDescriptor: Hashable, Sendable {
  /// The key path of the values to compare.
  public let key: String
  /// Whether smaller values come first; nil sorts first ascending and last
  /// descending.
  public let ascending: Bool
  /// How strings compare.
  public let selector: Selector

  /// Creates a descriptor.
  public init(key: String, ascending: Bool = true, selector: Selector = .compare) {
    self.key = key
    self.ascending = ascending
    self.selector = selector
  }

  /// The comparisons that Core Data's SQLite store knows.
  public enum Selector: String, Hashable, Sendable, CaseIterable {
    /// By Unicode scalars.
    case compare = "compare:"
    /// By Unicode scalars after case folding.
    case caseInsensitiveCompare = "caseInsensitiveCompare:"
    /// By the rules of the locale.
    case localizedCompare = "localizedCompare:"
    /// By the rules of the locale, without regard to case.
    case localizedCaseInsensitiveCompare = "localizedCaseInsensitiveCompare:"
    /// As a file browser sorts: by the locale, numbers by their value.
    case localizedStandardCompare = "localizedStandardCompare:"
  }
}

extension FetchSortDescriptor: CustomStringConvertible {
  /// `title ascending, localizedStandardCompare:`.
  public var description: String {
    key + (ascending ? " ascending" : " descending")
      + (selector == .compare ? "" : ", " + selector.rawValue)
  }
}
