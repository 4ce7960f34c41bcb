/// The parts and effects of a statement, as far as its text tells.
///
/// This is the only description of the statements. All code about kinds of statements uses it,
/// except the runner, which has a list of its own.
package struct StatementTraits: Sendable {
  package let effect: Effect
  /// The parts, in the order in which their names are looked up.
  package let parts: [StatementPart]
  /// Whether the statement reads objects, and so needs the store.
  ///
  /// Statements that contain others leave this to them.
  package let needsStore: Bool
  /// Whether the statement ends a turn.
  ///
  /// In loops and branches, each inner statement ends its own.
  package let endsTurn: Bool

  /// The effect of a statement on the session.
  package enum Effect: Hashable, Sendable {
    /// None, unless a value in it has an effect.
    case looks
    case defines
    case inserts
    /// Changes objects that are named in the statement.
    case changesObjects
    /// Changes the objects of a request.
    case changesMatches
    case saves
    case rollsBack
    case resets
    case undoes
    case redoes
    case fetches
    /// Gives a controller another request.
    case changesRequest
    /// Removes the delegate of a controller.
    case stopsTracking
    case suspends
    case resumes
    /// Runs other statements.
    case runs
    /// Changes something else.
    case changes
  }

  /// When a statement needs the store.
  enum StoreUse { case always, never, forValues }

  init(
    _ effect: Effect, _ parts: [StatementPart], store: StoreUse = .always, endsTurn: Bool = true
  ) {
    self.effect = effect
    self.parts = parts
    needsStore =
      switch store {
      case .always: true
      case .never: false
      case .forValues: parts.contains { $0.values.contains(where: \.looksAtObjects) }
      }
    self.endsTurn = endsTurn
  }

  init(_ effect: Effect, _ parts: StatementPart?..., store: StoreUse = .always) {
    self.init(effect, parts.compactMap(\.self), store: store)
  }

  init(defining definition: StatementPart.Definition) {
    let store: StoreUse =
      switch definition {
      case .controller: .always
      case .variable: .forValues
      case .entity, .model, .context, .request, .storedRequest, .table: .never
      }
    self.init(.defines, [.definition(definition)], store: store)
  }

  /// Describes a statement whose parts end turns of their own.
  init(turnsOf parts: StatementPart...) {
    self.init(.runs, parts, store: .forValues, endsTurn: false)
  }
}

extension StatementTraits {
  /// Whether the statement certainly changes nothing in a session.
  package var onlyLooks: Bool {
    // A `try` discards its statement's error, and has no other effect.
    if case .attempt(let statement)? = parts.first { return statement.traits.onlyLooks }
    return effect == .looks && !parts.contains { $0.values.contains(where: \.mayChange) }
  }

  /// The names that the statement defines, without those that inner statements define.
  package var definitions: [StatementPart.Definition] {
    parts.compactMap { if case .definition(let definition) = $0 { definition } else { nil } }
  }

  /// The name of the controller, table or context that the statement is about.
  package var subject: Name? {
    switch parts.first {
    case .name(let name, _), .clauses(_, of: let name): name
    case .value, .target, .request, .update, .insert, .predicate, .definition, .file, .block,
      .scope, .callback, .hook, .attempt, nil:
      nil
    }
  }
}
