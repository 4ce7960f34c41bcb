package import FetchedResults

/// One callback, or one that was not sent, with the rule and its evidence, as
/// `explain` lists them.
package struct Explanation {
  package let subject: Subject
  package let rule: Rule
  /// The rule by which the change would have been told, where it was not.
  package var untold: Rule?
  package var evidence: [Evidence] = []

  /// What is explained.
  package enum Subject {
    /// A callback, by the event that it is.
    case callback(Event)
    /// A change within a snapshot or a difference, by its callback's event.
    case part(Event, of: String)
    /// A callback that the delegate does not implement.
    case unsent(Event)
    /// Objects that changed and of which a controller says nothing; of no controller if none is
    /// meant.
    case silence(controller: String?, objects: [ShownObject])
    /// Objects whose callbacks a table let pass.
    case unanswered(table: String, objects: [ShownObject])
  }

  /// One thing that a decision looked at.
  package enum Evidence {
    /// A key with its value before, if it was a row or had one, and after.
    case key(String, old: PropertyValue?, new: PropertyValue?, [KeyRole])
    /// No value differs; what made the object count as changed.
    case touched(ChangeCauses)
    /// The context had not read the object, so the values before are unknown.
    case unread
    case predicate(String, before: Bool?, after: Bool?)
    case place(old: RowPlace?, new: RowPlace?)
    /// The row passed these, which changed themselves or did not.
    case passed([ObjectID], areChanged: Bool)
    case section(old: SectionEvidence.Place?, new: SectionEvidence.Place?)
    case passedSection(String)
    /// Of how many changed objects some concern the controller.
    case concerned(Int, of: Int)
    /// What the rule says here, in words.
    case note(String)
  }

  /// What a key is to a controller.
  package enum KeyRole: String, Hashable, Sendable, CaseIterable {
    case sort
    case section
    case predicate

    var words: String { self == .predicate ? rawValue : "\(rawValue) key" }
  }
}

extension Explanation {
  /// Whether an object is what is explained.
  func concerns(_ id: ObjectID) -> Bool {
    switch subject {
    case .callback(let event), .part(let event, of: _), .unsent(let event):
      guard case .didChangeObject(_, _, let object, _, _) = event else { return false }
      return object.id.isSame(as: id)
    case .silence(_, let objects), .unanswered(_, let objects):
      return objects.contains { $0.id.isSame(as: id) }
    }
  }

  /// The explanation of one of its objects alone.
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
  /// Whether both are one object, which may be named by a parent entity.
  func isSame(as other: ObjectID) -> Bool {
    number == other.number && entity.root === other.entity.root
  }
}
