import FetchedResults
import ScriptSyntax

/// Creates the hooks of an entity from blocks of a script.
///
/// Each runs as a callback.
struct EntityHooks {
  let callbacks: CallbackRunner
  let events: EventEmitter

  /// Returns the hooks; nil if the entity has none of its own.
  ///
  /// - Parameter inherited: The inherited hooks, which run before those of the same name. Both are
  ///   printed as one.
  func hooks(
    of declared: [HookSyntax], after inherited: Set<HookSyntax.Hook>, in source: SourceText
  ) -> ManagedObjectHooks? {
    guard !declared.isEmpty else { return nil }
    var hooks = ManagedObjectHooks()
    for hook in declared {
      let run = running(hook, isPrinted: !inherited.contains(hook.hook), in: source)
      switch hook.hook {
      case .awakeFromInsert: hooks.awakeFromInsert = { _ = run($0) }
      case .awakeFromFetch: hooks.awakeFromFetch = { _ = run($0) }
      case .willSave: hooks.willSave = { _ = run($0) }
      case .didSave: hooks.didSave = { _ = run($0) }
      case .prepareForDeletion: hooks.prepareForDeletion = { _ = run($0) }
      case .validateForDelete:
        hooks.validateForDelete = { run($0).flatMap { $0.isNull ? nil : $0.description } }
      }
    }
    return hooks
  }

  private func running(
    _ hook: HookSyntax, isPrinted: Bool, in source: SourceText
  ) -> (ManagedObject) -> PropertyValue? {
    // The closure must not hold these strongly, because the session has the coordinator that keeps
    // the hooks.
    { [weak callbacks, events] object in
      if isPrinted { events.emit(.hook(hook.hook.rawValue, object: object.objectID)) }
      return callbacks?.run(hook, of: object, in: source)
    }
  }
}
