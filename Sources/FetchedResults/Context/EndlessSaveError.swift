/// A save that was refused because its changes did not come to an end.
///
/// A save processes its changes, and processes what delegates and hooks changed in the meantime,
/// until nothing is left to do. A delegate that changes objects each time it is called never lets
/// it end. Nothing is saved then; the changes stay pending.
public struct EndlessSaveError: Error, Hashable, Sendable {
  /// After how many rounds the save gave up.
  public let rounds: Int
  /// An object that willSave changed in each of them; nil if it was no hook.
  public let changedObjectID: ObjectID?

  init() {
    rounds = Self.mostRounds
    changedObjectID = nil
  }

  /// The error of a willSave that never stops changing an object.
  init(changing id: ObjectID) {
    rounds = Self.mostHookRounds
    changedObjectID = id
  }

  /// The most rounds of a save.
  static let mostRounds = 1000
  /// The most rounds of willSave in a save.
  static let mostHookRounds = 100
}

extension EndlessSaveError: CustomStringConvertible {
  /// A description of the error, in one line.
  public var description: String {
    let start = "cannot save: after \(rounds) rounds "
    if let changedObjectID {
      return start + "willSave still changes \(changedObjectID); "
        + "assign a value only where it differs"
    }
    return start + "there are still new changes; "
      + "does a delegate change objects each time it is called?"
  }
}

/// A save that was refused because the context is about to save already: willSave
/// called it.
public struct NestedSaveError: Error, Hashable, Sendable {}

extension NestedSaveError: CustomStringConvertible {
  /// A description of the error, in one line.
  public var description: String {
    "cannot save in willSave: the save is under way, and will save what willSave changes"
  }
}
