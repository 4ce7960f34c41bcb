public import FetchedResults
public import Foundation

/// A property to sort by, its direction, and how strings compare.
///
/// ```swift
/// let request = FetchRequest<Book>(
///   sortBy: [.init(\.title, .localizedStandardCompare), .init(\.pages, order: .reverse)])
/// ```
public struct FetchSort<Result: ManagedEntity>: Hashable, Sendable {
  /// The engine's sort descriptor.
  public let descriptor: FetchSortDescriptor

  /// Sorts by a property of the class.
  ///
  /// - Precondition: The key path is a single property of the entity. For a property of a related
  ///   object use ``init(key:order:_:)``.
  public init(
    _ keyPath: KeyPath<Result, some Any>, order: SortOrder = .forward,
    _ selector: FetchSortDescriptor.Selector = .compare
  ) {
    guard let key = Result.managedSchema.name(of: keyPath) else {
      programmingError(
        "\(keyPath.words) is not a property of \(Result.self)'s entity, and cannot sort it; "
          + "write a path over relationships as a string, such as FetchSort(key: \"author.name\")")
    }
    self.init(key: key, order: order, selector)
  }

  /// Sorts by a key path such as `author.name`.
  public init(
    key: String, order: SortOrder = .forward, _ selector: FetchSortDescriptor.Selector = .compare
  ) {
    descriptor = FetchSortDescriptor(key: key, ascending: order == .forward, selector: selector)
  }
}
