/// How a script fails, for people and for the reducer.
package struct TrialFailure: Error, Hashable, Sendable {
  /// What tells one failure from another while a script shrinks.
  package enum Kind: Hashable, Sendable {
    /// What a delegate was told does not lead from the sections before to
    /// those after.
    case replayLaw
    /// An object was changed, and its context processed no change of it.
    case changes
    /// The naive model would have told a delegate something else.
    case callbacks
    /// The naive model would show other sections.
    case sections
    /// Another store prints something else; its name.
    case store(String)
    /// Another store has other rows after a save; its name.
    case rows(String)
    /// Two saved objects share values that must be unique.
    case unique
    /// A saved object's derived attribute is that of other values.
    case derived
    /// An error that no `try` took, in its words.
    case error(String)
    /// The output of one statement is not what is under it.
    case golden(expected: [String], actual: [String])
    /// A list under test shows other sections or rows than its controller.
    case list
    /// A list under test says that it could not follow its controller.
    case listFault
  }

  package let kind: Kind
  /// What happened, on one line or more.
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
  /// The law that does not hold.
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
