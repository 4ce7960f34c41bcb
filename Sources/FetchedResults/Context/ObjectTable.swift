/// The objects of one root entity that a context holds, by number.
///
/// A reference of its own, so that a controller which compares many rows need
/// not look its entity up for each. It counts its references to the objects by
/// hand: a look at an object's values then writes nothing to memory, which is
/// what a search among a million rows would spend its time on.
package final class ObjectTable {
  /// Changed only if nobody reads: a table calls nobody.
  @exclusivity(unchecked)
  var objects = PagedArray<Unmanaged<ManagedObject>?>(placeholder: nil)

  deinit { removeAll() }

  /// The object with a number; nil if the context does not hold one.
  package subscript(number: Int64) -> ManagedObject? {
    get { objects[number]?.takeUnretainedValue() }
    set {
      let old = objects[number]
      objects[number] = newValue.map(Unmanaged.passRetained)
      old?.release()
    }
  }

  /// Looks at an object without holding it.
  ///
  /// - Parameter body: Must not change the table.
  /// - Returns: What `body` returns, or nil if there is no such object.
  @inline(__always)
  func withObject<Result>(_ number: Int64, _ body: (ManagedObject) -> Result) -> Result? {
    objects[number]?._withUnsafeGuaranteedRef(body)
  }

  /// Every object of the table.
  var stored: some Sequence<ManagedObject> {
    objects.stored.lazy.compactMap { $0?.takeUnretainedValue() }
  }

  func removeAll() {
    let old = objects
    objects.removeAll()
    for object in old.stored { object?.release() }
  }
}
