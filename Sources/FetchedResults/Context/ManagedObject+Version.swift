/// The version of a row counts its saves. It shows contexts that a row has changed since they read
/// it.
extension ManagedObject {
  /// The version of the row that a save writes.
  var nextVersion: Int32 { abs(version) + 1 }

  /// Gives an object whose row was deleted a version for the row that a save will write in its
  /// place.
  ///
  /// Other contexts may have read versions of the old row that this context never saw. They must
  /// not take the new row for one of these. So the version jumps ahead, by a number that is
  /// computed from the values: two contexts that restore the same object with different values give
  /// it different versions.
  func renewVersion() {
    guard version > 0 else { return }
    let jump = 1024 + Int32(snapshot.digest & 0xFFFF)
    version = -min(version + jump, Self.lastRenewedVersion)
  }

  /// The highest version after such a jump.
  ///
  /// It leaves room to count on, because a store treats higher versions as damage.
  private static var lastRenewedVersion: Int32 { 1 << 29 }
}

extension ObjectSnapshot {
  /// A number that follows from the values alone (FNV-1a over their text), the
  /// same in every process.
  fileprivate var digest: UInt64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in stored.lazy.map(\.value) {
      for byte in value.description.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
      digest = (digest ^ 0xFF) &* 0x100_0000_01B3
    }
    return digest
  }
}
