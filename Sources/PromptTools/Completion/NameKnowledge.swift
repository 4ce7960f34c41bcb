import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// Knows which names in a text mean something in a session, without running the text.
package struct NameKnowledge {
  private let session: Session
  private let defined: Set<String>

  /// - Parameters:
  ///   - session: The session that gives names their meaning.
  ///   - defined: The names that the text itself defines.
  package init(session: Session, defined: Set<String>) {
    self.session = session
    self.defined = defined
  }

  /// Whether a part of a text is an unknown name.
  ///
  /// The answer is false in doubt.
  package func isUnknown(_ part: TextPart) -> Bool {
    switch (part.role, part.place) {
    case (.entity, .inserted):
      !isEntity(part.text)
    case (.object, _): !isEntity(part.text)
    case (.name, .first), (.name, .base): !isValue(part.text)
    case (.name, .attribute(let entity)):
      session.coordinator.managedObjectModel.entitiesByName[entity].map { entity in
        entity.propertyIndex(named: part.text) == nil
      } ?? false
    case (.variable, _): !isValue(part.text) && !Self.ofCallbacks.contains(part.text)
    default: false
    }
  }

  private func isEntity(_ name: String) -> Bool {
    defined.contains(name) || session.coordinator.managedObjectModel.entitiesByName[name] != nil
  }

  private func isValue(_ name: String) -> Bool {
    defined.contains(name) || session.meaning(of: name) != nil || session.variable(name) != nil
      || session.context(named: name) != nil || isProperty(name)
      || CallbackSyntax.Callback(rawValue: name) != nil || Self.ofCallbacks.contains(name)
      || ScriptFunctions.usages[name] != nil
  }

  /// Whether an entity has a property of this name.
  ///
  /// Of thousands of entities, only some are searched.
  private func isProperty(_ name: String) -> Bool {
    session.entities.count > 1000
      || session.entities.contains { $0.propertyIndex(named: name) != nil }
  }

  /// The variables that callbacks define, and the one of `insert 10 Book(…)`.
  private static let ofCallbacks: Set = [
    "i", "index", "indexPath", "name", "newIndexPath", "object", "type",
  ]
}
