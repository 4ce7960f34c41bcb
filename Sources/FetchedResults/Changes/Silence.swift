/// Why a change of an object is not reported.
package enum Silence: Hashable, Sendable {
  /// The object is of another entity than those that the request is about.
  case otherEntity
  /// The object was no row and does not match, before or after.
  case staysOutside
  /// The object matches before or after the batch, and a kept limit shows it neither then nor
  /// now.
  case outsideLimit
  /// The fetch found the object before its insertion was merged.
  case alreadyFetched
  /// The controller has no results: there was no performFetch, or the context
  /// was reset.
  case notFetched
  /// There is no delegate that is told about changes.
  case noDelegate
  /// The predicate raised, or a fetch failed: the controller stopped tracking.
  case stopped
}

/// A change of an object that a controller does not report.
package struct SilentChange: Sendable {
  /// The change's place in its batch.
  package let place: Int
  package let silence: Silence

  package init(place: Int, silence: Silence) {
    self.place = place
    self.silence = silence
  }
}
