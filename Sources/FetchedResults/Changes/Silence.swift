/// Why the change of an object is not reported.
package enum Silence: Hashable, Sendable {
  /// The object is of an entity that the request does not ask for.
  case otherEntity
  /// The object was not a row, and does not match before or after.
  case staysOutside
  /// The object matches before or after the batch, but a kept limit shows it at neither time.
  case outsideLimit
  /// The fetch found the object before its insertion was merged.
  case alreadyFetched
  /// The controller has no results: `performFetch` was not called, or the context was reset.
  case notFetched
  /// There is no delegate that receives changes.
  case noDelegate
  /// The predicate raised or a fetch failed, so the controller stopped tracking.
  case stopped
}

/// A change of an object that a controller does not report.
package struct SilentChange: Sendable {
  /// The index of the change in its batch.
  package let place: Int
  package let silence: Silence

  package init(place: Int, silence: Silence) {
    self.place = place
    self.silence = silence
  }
}
