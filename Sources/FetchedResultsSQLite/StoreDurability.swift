/// How much of a power failure the saves into a SQLite file survive.
///
/// In both cases a save survives a crash of the program, and a power failure leaves a whole file.
public enum StoreDurability: Hashable, Sendable {
  /// A save ends when the disk has it, so it survives a power failure.
  case full
  /// A save does not wait for the disk.
  ///
  /// The last saves before a power failure may be missing in the file afterwards. Many small saves
  /// are several times as fast. A file that has no write-ahead log keeps ``full``, because a power
  /// failure could damage it; files that this library or Core Data makes have one.
  case normal
}
