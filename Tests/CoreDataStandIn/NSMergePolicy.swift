import FetchedResults

/// Decides conflicts when a save finds newer rows in the store.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  let engine: MergePolicy

  init(_ engine: MergePolicy) {
    self.engine = engine
    super.init()
  }

  /// The save fails.
  public static let error = NSMergePolicy(.error)
  /// The store's values win.
  public static let mergeByPropertyStoreTrump = NSMergePolicy(.mergeByPropertyStoreTrump)
  /// The object's values win.
  public static let mergeByPropertyObjectTrump = NSMergePolicy(.mergeByPropertyObjectTrump)
  /// The object overwrites the row.
  public static let overwrite = NSMergePolicy(.overwrite)
  /// The object gets the store's values.
  public static let rollback = NSMergePolicy(.rollback)
}

public let NSErrorMergePolicy: NSMergePolicy = NSMergePolicy.error
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy =
  NSMergePolicy.mergeByPropertyStoreTrump
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy =
  NSMergePolicy.mergeByPropertyObjectTrump
public let NSOverwriteMergePolicy: NSMergePolicy = NSMergePolicy.overwrite
public let NSRollbackMergePolicy: NSMergePolicy = NSMergePolicy.rollback
