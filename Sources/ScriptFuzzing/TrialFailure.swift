/// How a script fails, for people and for the reducer.
package struct TrialFailure: Error, Hashable, Sendable {
  /// The kind of failure, which stays the same while a script is reduced.
  package enum Kind: Hashable, Sendable {
    /// The callbacks do not lead from the sections before to those after.
    case replayLaw
    /// An object was changed, but its context processed no change of it.
    case changes
    /// The naive model expects other callbacks.
    case callbacks
    /// The naive model expects other sections.
    case sections
    /// The named store prints something else.
    case store(String)
    /// The named store has different rows after a save.
    case rows(String)
    /// Two saved objects share values that must be unique.
    case unique
    /// A saved object's derived attribute is out of date.
    case derived
    /// An error that no `try` caught, with its message.
    case error(String)
    /// The output of a statement is not the expected output below it.
    case golden(expected: [String], actual: [String])
    /// A list under test shows other sections or rows than its controller.
    case list
    /// A list under test says that it could not follow its controller.
    case listFault
  }

  package let kind: Kind
  /// A description of what happened, on one or more lines.
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension TrialFailure: CustomStringConvertible {
  package var description: String { "\(kind.name): \(reason)" }
}

extension TrialFailure.Kind {
  /// The name of the law that was broken.
  package var name: String {
    switch self {
    case .replayLaw: "replay law"
    case .changes: "changes"
    case .callbacks: "callbacks"
    case .sections: "sections"
    case .store(let name): "store \(name)"
    case .rows(let name): "rows of \(name)"
    case .unique: "unique values"
    case .derived: "derived attributes"
    case .error: "error"
    case .golden: "expected output"
    case .list: "list"
    case .listFault: "fault of the list"
    }
  }
}
