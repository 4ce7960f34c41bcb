/// The objects of one root entity that a context holds, by number.
///
/// It is a separate object, so that a controller that compares many rows need not look up the
/// entity for each. It counts its references to the objects by hand. So reading an object's values
/// writes nothing to memory, which would be the main cost of a search among a million rows.
package final class ObjectTable {
  /// The table is only changed while no one reads it: it calls no other code.
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

  /// Accesses an object without retaining it.
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

  /// Frees the memory for some numbers, if their neighbours have no objects either.
  func freePages(of numbers: [Int64]) { objects.freePages(of: numbers) { $0 == nil } }

  func removeAll() {
    let old = objects
    objects.removeAll()
    for object in old.stored { object?.release() }
  }
}
