package import FetchedResults

/// The explanation of a callback, or of why there was none, with the rule and its evidence, as
/// `explain` lists them.
package struct Explanation {
  package let subject: Subject
  package let rule: Rule
  /// The rule that would have reported the change, if it was not reported.
  package var untold: Rule?
  package var evidence: [Evidence] = []

  /// The subject of the explanation.
  package enum Subject {
    /// A callback that was sent.
    case callback(Event)
    /// A change within a snapshot or a difference, as the event of its own callback.
    case part(Event, of: String)
    /// A callback that the delegate does not implement.
    case unsent(Event)
    /// Changed objects for which a controller sent no callback. The controller is nil if no
    /// particular one is meant.
    case silence(controller: String?, objects: [ShownObject])
    /// Objects whose callbacks a table ignored.
    case unanswered(table: String, objects: [ShownObject])
  }

  /// A fact that a decision was based on.
  package enum Evidence {
    /// A key, with its value before (if there was a row, or a value) and after.
    case key(String, old: PropertyValue?, new: PropertyValue?, [KeyRole])
    /// No value differs; the causes say why the object counts as changed.
    case touched(ChangeCauses)
    /// The context had not read the object, so the earlier values are unknown.
    case unread
    case predicate(String, before: Bool?, after: Bool?)
    case place(old: RowPlace?, new: RowPlace?)
    /// The row passed these objects, which either changed too or did not.
    case passed([ObjectID], areChanged: Bool)
    case section(old: SectionEvidence.Place?, new: SectionEvidence.Place?)
    case passedSection(String)
    /// The number of changed objects that concern the controller, and of all changed objects.
    case concerned(Int, of: Int)
    /// A sentence about what the rule means here.
    case note(String)
  }

  /// The role of a key for a controller.
  package enum KeyRole: String, Hashable, Sendable, CaseIterable {
    case sort
    case section
    case predicate

    var words: String { self == .predicate ? rawValue : "\(rawValue) key" }
  }
}

extension Explanation {
  /// Whether the explanation is about an object.
  func concerns(_ id: ObjectID) -> Bool {
    switch subject {
    case .callback(let event), .part(let event, of: _), .unsent(let event):
      guard case .didChangeObject(_, _, let object, _, _) = event else { return false }
      return object.id.isSame(as: id)
    case .silence(_, let objects), .unanswered(_, let objects):
      return objects.contains { $0.id.isSame(as: id) }
    }
  }

  /// Returns the explanation for only one of its objects.
  func narrowed(to id: ObjectID) -> Explanation {
    let subject: Subject
    switch self.subject {
    case .silence(let controller, let objects):
      subject = .silence(
        controller: controller, objects: objects.filter { $0.id.isSame(as: id) })
    case .unanswered(let table, let objects):
      subject = .unanswered(table: table, objects: objects.filter { $0.id.isSame(as: id) })
    case .callback, .part, .unsent: return self
    }
    return Explanation(subject: subject, rule: rule, untold: untold, evidence: evidence)
  }
}

extension ObjectID {
  /// Whether both are the same object, even if one is named by a parent entity.
  func isSame(as other: ObjectID) -> Bool {
    number == other.number && entity.root === other.entity.root
  }
}
