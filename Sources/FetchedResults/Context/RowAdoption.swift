/// What receives the objects of a fetch, one after the other.
///
/// So the caller of a fetch can put each object where it wants it, and no list of objects is made
/// in between.
final class FetchReceiver {
  /// Called if the objects that were passed on so far are not the result.
  let restart: () -> Void
  /// Takes the next object.
  let pass: (ManagedObject) -> Void

  init(restart: @escaping () -> Void, pass: @escaping (ManagedObject) -> Void) {
    self.restart = restart
    self.pass = pass
  }
}

/// Makes an object of each row while the store reads the next one, and passes it on.
final class RowAdoption: RowReceiver {
  private let context: ManagedObjectContext
  private let reference: ContextReference
  private let table: ObjectTable
  private let receiver: FetchReceiver
  private let pass: (ManagedObject) -> Void
  /// The objects that were made, if a controller may have to learn of them.
  private var made: [ManagedObject] = []
  private let hasListeners: Bool

  init(in context: ManagedObjectContext, _ root: EntityDescription, _ receiver: FetchReceiver) {
    self.context = context
    reference = context.reference
    self.receiver = receiver
    pass = receiver.pass
    table = context.table(of: root)
    hasListeners = !context.listeners.isEmpty
  }

  func begin() { receiver.restart() }

  func receive(_ row: consuming StoreRow, number: Int64) {
    if let object = table.objects[number] { return object._withUnsafeGuaranteedRef(pass) }
    // The table takes the only reference, so that none is counted on the way.
    let object = Unmanaged.passRetained(ManagedObject(row, number: number, in: reference))
    table.add(object, number: number)
    if hasListeners { made.append(object.takeUnretainedValue()) }
    object._withUnsafeGuaranteedRef(pass)
  }

  /// Takes the objects out of the context, because the fetch has failed.
  ///
  /// Others may have saved before the rows were read. A controller may have placed these rows by
  /// older values, and would use the values of the objects instead.
  func abandon() {
    for object in made where table[object.objectID.number] === object {
      table[object.objectID.number] = nil
    }
  }

  /// Tells controllers of the objects, if others have saved: only the end of a fetch shows that.
  func finish() {
    guard context.persistentStoreCoordinator.store.foreignSaves > 0 else { return }
    for object in made { context.tellReceivers(ofRead: object) }
  }
}
