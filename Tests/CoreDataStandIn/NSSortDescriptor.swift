import FetchedResults

/// The name of a method, like a selector on Apple systems.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, with a colon for each argument.
  public let description: String

  /// Creates a selector from its name.
  public init(_ name: String) { description = name }

  /// Creates a selector from its name.
  public init(stringLiteral name: String) { description = name }
}

/// Returns the selector with a name.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

/// Returns the name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }

/// A key path to sort by.
///
/// Foundation on Linux has a class with this name that has no Objective-C key paths. A file that
/// imports only `CoreData` uses this one.
open class NSSortDescriptor: NSObject, @unchecked Sendable {
  /// The key path.
  public let key: String?
  /// Whether smaller values come first.
  public let ascending: Bool
  /// The method that compares two values.
  public let selector: Selector?

  /// Creates a sort descriptor that uses `compare:`.
  public convenience init(key: String?, ascending: Bool) {
    self.init(key: key, ascending: ascending, selector: Selector("compare:"))
  }

  /// Creates a sort descriptor that uses a method of its values.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    self.key = key
    self.ascending = ascending
    self.selector = selector
    super.init()
  }

  /// The same descriptor in the reverse order.
  open var reversedSortDescriptor: Any {
    NSSortDescriptor(key: key, ascending: !ascending, selector: selector)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSSortDescriptor else { return false }
    return (key, ascending, selector) == (other.key, other.ascending, other.selector)
  }

  open override var hash: Int { key.hashValue ^ ascending.hashValue }

  var engine: FetchSortDescriptor {
    guard
      let selector = FetchSortDescriptor.Selector(rawValue: selector?.description ?? "compare:")
    else {
      preconditionFailure("unsupported NSSortDescriptor selector: \(selector as Any)")
    }
    return FetchSortDescriptor(key: key ?? "self", ascending: ascending, selector: selector)
  }
}
