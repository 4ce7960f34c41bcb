/// What a statement is made of and what it does, as far as its text tells.
///
/// This is the one description of the statements. Everything that asks about statements of
/// any kind asks it; only the runner has a list of them besides.
package struct StatementTraits: Sendable {
  package let effect: Effect
  /// In the order in which they are looked up.
  package let parts: [StatementPart]
  /// Whether the statement looks at objects, and with them at the store.
  ///
  /// Statements that hold others leave that to them.
  package let needsStore: Bool
  /// Whether a turn ends with the statement; in loops and branches the statements inside end
  /// their own.
  package let endsTurn: Bool

  /// What a statement does to the session.
  package enum Effect: Hashable, Sendable {
    /// Nothing, unless a value in it does.
    case looks
    case defines
    case inserts
    /// Changes objects that it names.
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

  /// Describes a statement whose parts end their own turns.
  init(turnsOf parts: StatementPart...) {
    self.init(.runs, parts, store: .forValues, endsTurn: false)
  }
}

extension StatementTraits {
  /// Whether the statement changes nothing of a session, for sure.
  package var onlyLooks: Bool {
    // A `try` forgets what its statement failed with, and changes no more than that.
    if case .attempt(let statement)? = parts.first { return statement.traits.onlyLooks }
    return effect == .looks && !parts.contains { $0.values.contains(where: \.mayChange) }
  }

  /// What the statement gives a name to, not counting the statements in it.
  package var definitions: [StatementPart.Definition] {
    parts.compactMap { if case .definition(let definition) = $0 { definition } else { nil } }
  }

  /// The name that the statement is about, of a controller, a table or a context.
  package var subject: Name? {
    switch parts.first {
    case .name(let name, _), .clauses(_, of: let name): name
    case .value, .target, .request, .update, .insert, .predicate, .definition, .file, .block,
      .scope, .callback, .hook, .attempt, nil:
      nil
    }
  }
}
