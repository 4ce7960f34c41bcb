/// A hook, such as `on willSave { … }`: statements that run at a moment in the life of an entity's
/// objects.
package struct HookSyntax: Hashable, Sendable {
  package var hook: Hook
  package var body: [Statement]
  package var range: Range<Int>

  package init(hook: Hook, body: [Statement], range: Range<Int>) {
    self.hook = hook
    self.body = body
    self.range = range
  }

  /// The hooks; the raw value is the word in a script.
  package enum Hook: String, Hashable, Sendable, CaseIterable {
    case awakeFromInsert
    case awakeFromFetch
    case willSave
    case didSave
    case prepareForDeletion
    case validateForDelete

    /// Whether the hook returns a value.
    package var givesValue: Bool { self == .validateForDelete }
  }
}

extension HookSyntax {
  /// The name of the variable for the object that runs the hook.
  package static let object = "self"

  /// Returns the variables in a hook of an entity.
  package static func locals(ofEntity entity: String) -> [LocalVariable] {
    [LocalVariable(object, .entityObject(entity))]
  }
}

extension Statement {
  /// Whether the statement may run while a row is read, in `awakeFromFetch`.
  ///
  /// It may not fetch other rows, and may not delete or save.
  package var mayRunWhileReading: Bool {
    switch traits.effect {
    case .looks, .defines, .changesObjects, .runs: break
    case .inserts, .changesMatches, .saves, .rollsBack, .resets, .undoes, .redoes, .fetches,
      .changesRequest, .stopsTracking, .suspends, .resumes, .changes:
      return false
    }
    return traits.parts.allSatisfy { part in
      switch part {
      case .value, .block, .scope, .attempt, .definition(.variable):
        !part.values.contains { $0.asksForRows }
      case .target, .name, .request, .clauses, .update, .insert, .predicate, .definition, .file,
        .callback, .hook:
        false
      }
    }
  }
}

extension ExpressionSyntax {
  /// Whether computing the value fetches or inserts.
  fileprivate var asksForRows: Bool {
    contains {
      switch $0 {
      case .count, .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .name,
        .variable, .member, .index, .call, .methodCall, .negation, .not, .binary:
        false
      }
    }
  }
}
