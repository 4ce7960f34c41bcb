/// The contexts of one source, in order of their creation.
///
/// Adding a context looks at the others only when their number has doubled. Otherwise *n* new
/// contexts would take *n*² steps.
struct ContextList {
  private var entries: [WeakContext] = []
  /// Those that merge automatically what others save.
  private var followers: [WeakContext] = []
  /// How many entries there are when the contexts that are gone are next removed.
  private var limit = Self.smallestLimit

  private static var smallestLimit: Int { 8 }

  /// Whether there never was a context, or all were gone when one was last added.
  var isEmpty: Bool { entries.isEmpty }

  /// The contexts that exist.
  ///
  /// - Complexity: O(*n*).
  var contexts: [ManagedObjectContext] { entries.compactMap(\.context) }

  /// The contexts that merge automatically.
  ///
  /// - Complexity: O(*k*) in their number.
  var following: [ManagedObjectContext] { followers.compactMap(\.context) }

  /// Whether there is a context besides one.
  func hasOther(than context: ManagedObjectContext) -> Bool {
    entries.contains { entry in entry.context.map { $0 !== context } ?? false }
  }

  /// Adds a context after the others.
  ///
  /// - Complexity: O(1) amortized.
  mutating func append(_ context: ManagedObjectContext) {
    if entries.count >= limit {
      entries.removeAll { $0.context == nil }
      followers.removeAll { $0.context == nil }
      limit = max(Self.smallestLimit, 2 * entries.count)
    }
    entries.append(WeakContext(context: context))
  }

  /// Notes whether a context merges automatically from now on.
  mutating func note(_ context: ManagedObjectContext, follows: Bool) {
    if follows {
      followers.append(WeakContext(context: context))
    } else {
      followers.removeAll { $0.context === context || $0.context == nil }
    }
  }
}

/// A context that may go away.
private struct WeakContext {
  weak var context: ManagedObjectContext?
}
