/// A save that was refused because its changes did not come to an end.
///
/// A save processes its changes, and processes what delegates changed meanwhile,
/// until nothing is left to do. A delegate that changes objects each time it is
/// called never lets it end. Nothing is saved then; the changes stay pending.
public struct EndlessSaveError: Error, Hashable, Sendable {
  /// After how many rounds the save gave up.
  public let rounds: Int

  init() { rounds = Self.mostRounds }

  /// The most rounds of a save.
  static let mostRounds = 1000
}

extension EndlessSaveError: CustomStringConvertible {
  /// The error in words, in one line.
  public var description: String {
    "cannot save: after \(rounds) rounds there are still new changes; "
      + "does a delegate change objects each time it is called?"
  }
}
