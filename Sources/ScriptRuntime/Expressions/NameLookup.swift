import Basics
import FetchedResults
import ScriptSyntax

/// Looks up names, or throws errors that say what is wrong with them.
struct NameLookup {
  let session: Session
  private let frames: FrameStack

  init(_ session: Session, _ frames: FrameStack) {
    self.session = session
    self.frames = frames
  }

  /// Returns the error for a name that is none of the known ones.
  private func unknown(
    _ kind: UnknownName, _ name: String, among known: [String], _ range: Range<Int>
  ) -> ScriptError {
    let near = session.nearestName(to: name, among: known)
    return frames.failure(.unknown(kind, name, suggestion: near, known: known), range)
  }

  // MARK: Entities

  /// Returns an entity by its name.
  func entity(_ name: Name) throws(ScriptError) -> EntityDescription {
    if let entity = session.coordinator.managedObjectModel.entitiesByName[name.text] {
      return entity
    }
    throw unknown(.entity, name.text, among: session.entities.map(\.name), name.range)
  }

  /// Checks that a request, a controller or a table does not have the name of an entity.
  ///
  /// It may have the name of another request, controller or table, which it replaces.
  func refuseEntity(_ name: Name) throws(ScriptError) {
    if session.coordinator.managedObjectModel.entitiesByName[name.text] != nil {
      throw frames.failure(.misused(name.text, is: .entity, wanted: .newName), name.range)
    }
  }

  /// Returns the index of an attribute or a relationship in its entity.
  @discardableResult
  func propertyIndex(
    _ name: String, in entity: EntityDescription, _ range: Range<Int>
  ) throws(ScriptError) -> Int {
    if let index = entity.propertyIndex(named: name) { return index }
    throw unknown(.attribute(of: entity.name), name, among: entity.propertyNames, range)
  }

  // MARK: Controllers, tables and contexts

  /// Returns the error for a controller, an observer or a table in the block of an extension, which
  /// is another process; nil for other names and places.
  func refusalInExtension(_ name: String, _ range: Range<Int>) -> ScriptError? {
    guard session.isInExtension, let meaning = session.meaning(of: name) else { return nil }
    return switch meaning {
    case .controller, .observer, .table:
      frames.failure(.misused(name, is: meaning, wanted: .ofThisProcess), range)
    case .entity, .request, .variable: nil
    }
  }

  /// Returns a controller by its name.
  @discardableResult
  func controller(_ name: Name) throws(ScriptError) -> ControllerBinding {
    if let refusal = refusalInExtension(name.text, name.range) { throw refusal }
    if let binding = session.controllers[name.text] { return binding }
    if let meaning = anyMeaning(of: name.text) {
      throw frames.failure(.misused(name.text, is: meaning, wanted: .controller), name.range)
    }
    throw unknown(.controller, name.text, among: session.controllerNames, name.range)
  }

  /// Returns a table by its name.
  @discardableResult
  func table(_ name: Name) throws(ScriptError) -> TableBinding {
    if let refusal = refusalInExtension(name.text, name.range) { throw refusal }
    if let binding = session.tables[name.text] { return binding }
    if let meaning = anyMeaning(of: name.text) {
      throw frames.failure(.misused(name.text, is: meaning, wanted: .table), name.range)
    }
    throw unknown(.table, name.text, among: session.tableNames, name.range)
  }

  /// What `show` can show for a name.
  enum Shown {
    case controller(ControllerBinding)
    case table(TableBinding)
    case history(HistoryBinding)
  }

  /// Returns what `show` shows for a name.
  func shown(_ name: Name) throws(ScriptError) -> Shown {
    if let refusal = refusalInExtension(name.text, name.range) { throw refusal }
    if let table = session.tables[name.text] { return .table(table) }
    if let binding = session.historyObservers[name.text] { return .history(binding) }
    if let near = nearestTable(to: name) {
      throw frames.failure(.unknown(.table, name.text, suggestion: near), name.range)
    }
    return .controller(try controller(name))
  }

  /// Returns the table that was probably meant, if no controller is nearer.
  private func nearestTable(to name: Name) -> String? {
    guard anyMeaning(of: name.text) == nil else { return nil }
    let near = session.nearestName(
      to: name.text, among: session.controllerNames + session.tableNames)
    return near.flatMap { session.tables[$0] == nil ? nil : $0 }
  }

  /// What `swift` can show for a name.
  enum SwiftSubject {
    case controller(ControllerBinding)
    case history(HistoryBinding)
    /// A context, by its name.
    case context(String)
    case entity(EntityDescription)
  }

  /// Returns what `swift` shows for a name.
  func swiftSubject(_ name: Name) throws(ScriptError) -> SwiftSubject {
    if let refusal = refusalInExtension(name.text, name.range) { throw refusal }
    if let binding = session.controllers[name.text] { return .controller(binding) }
    if let binding = session.historyObservers[name.text] { return .history(binding) }
    if session.context(named: name.text) != nil { return .context(name.text) }
    if session.coordinator.managedObjectModel.entitiesByName[name.text] != nil
      || name.text.first?.isUppercase == true
    {
      return .entity(try entity(name))
    }
    if let table = session.tables[name.text] {
      throw frames.failure(
        .misused(name.text, is: .table, wanted: .swiftSubject(shown: table.controller.name)),
        name.range)
    }
    if anyMeaning(of: name.text) != nil { return .controller(try controller(name)) }
    let known =
      session.controllerNames + session.contexts.map(\.name)
      + session.coordinator.managedObjectModel.entities.map(\.name)
    throw frames.failure(
      .unknown(
        .swiftSubject, name.text, suggestion: session.nearestName(to: name.text, among: known),
        known: session.controllerNames.map { "swift \($0)" }),
      name.range)
  }

  /// Returns a context by its name.
  @discardableResult
  func context(_ name: Name) throws(ScriptError) -> ManagedObjectContext {
    if let context = session.context(named: name.text) { return context }
    throw unknown(.context, name.text, among: session.contexts.map(\.name), name.range)
  }

  /// The source of a `merge`.
  enum MergeSource {
    case context(ManagedObjectContext)
    /// The last batch request.
    case batch
  }

  /// Returns what a name before `into` stands for.
  ///
  /// A context may be named `batch`.
  func mergeSource(_ name: Name) throws(ScriptError) -> MergeSource {
    if name.text == "batch", session.context(named: name.text) == nil { return .batch }
    return .context(try context(name))
  }

  /// Returns the context that merges the last save of another one.
  ///
  /// - Throws: An error if it does not read from what the other one saves into, nor is that itself.
  func mergeTarget(
    _ target: Name, of saver: ManagedObjectContext, _ source: Name
  ) throws(ScriptError) -> ManagedObjectContext {
    let context = try context(target)
    guard saver !== context else {
      throw frames.failure(.mergesItself(source.text), target.range)
    }
    if let parent = context.parent, parent !== saver, parent !== saver.parent {
      throw frames.failure(.mergesIntoChild(target.text, "'\(source.text)'"), target.range)
    }
    if context.parent == nil, let parent = saver.parent, parent !== context {
      throw frames.failure(.mergesChild(source.text), source.range)
    }
    return context
  }

  /// Returns the sections of a controller that has fetched.
  func sections(
    of binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) -> SeenSections {
    guard let sections = binding.sections else {
      throw frames.failure(.controller(.notFetched(binding.name)), range)
    }
    return sections
  }

  /// Returns what a name stands for.
  ///
  /// A variable counts only if there is nothing else.
  func anyMeaning(of name: String) -> NameMeaning? {
    session.meaning(of: name) ?? (frames.variable(name) == nil ? nil : .variable)
  }

  // MARK: Values

  /// Whether a bare name that could also be the source of a request is a value.
  func isValue(_ name: String) -> Bool {
    session.meaning(of: name) == nil
      && (frames.top.updated?.value(named: name) != nil || frames.variable(name) != nil)
  }

  /// Returns the error for a member that a value does not have.
  func unknownMember(_ name: Name, of owner: String, _ known: [String]) -> ScriptError {
    frames.failure(
      .unknown(
        .member(of: owner), name.text,
        suggestion: Basics.nearestName(to: name.text, among: known), known: known),
      name.range)
  }

  /// `$name`: always a variable, even if something else has this name.
  func variable(_ name: String, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    if let value = frames.variable(name) { return value }
    throw frames.failure(
      .unknown(
        .variable, name, suggestion: session.nearestName(to: name, among: frames.variableNames)),
      range)
  }

  /// A bare name: inside `update { }` an attribute, otherwise a variable or a controller.
  func value(_ name: String, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    let updated = frames.top.updated
    if let value = updated?.value(named: name) { return .value(value) }
    if let value = frames.variable(name) { return value }
    if let refusal = refusalInExtension(name, range) { throw refusal }
    if let binding = session.controllers[name] { return .controller(binding) }
    if let binding = session.historyObservers[name] { return .history(binding) }
    throw unknownName(
      name, among: (updated?.entity.propertyNames ?? []) + frames.variableNames, range)
  }

  /// Returns the error for a name without a value.
  func unknownName(
    _ name: String, among values: @autoclosure () -> [String], _ range: Range<Int>
  ) -> ScriptError {
    if let refusal = refusalInExtension(name, range) { return refusal }
    if let meaning = session.meaning(of: name) {
      return frames.failure(.misused(name, is: meaning, wanted: .value), range)
    }
    let capitalized = name.prefix(1).uppercased() + name.dropFirst()
    if capitalized != name,
      session.coordinator.managedObjectModel.entitiesByName[capitalized] != nil
    {
      return frames.failure(
        .unknown(.lowercaseEntity(capitalized), name, suggestion: nil), range)
    }
    let near = session.nearestName(to: name, among: values() + session.controllerNames)
    return frames.failure(.unknown(.name, name, suggestion: near), range)
  }

  /// Checks that a function with this name exists.
  func checkFunction(_ name: Name) throws(ScriptError) {
    guard ScriptFunctions.usages[name.text] == nil else { return }
    let isEntity = session.coordinator.managedObjectModel.entitiesByName[name.text] != nil
    let suggestion =
      isEntity
      ? "insert \(name.text)"
      : session.nearestName(to: name.text, among: ScriptFunctions.usages.keys.sorted())
    throw frames.failure(.unknown(.function, name.text, suggestion: suggestion), name.range)
  }

  /// Returns the object that is a value.
  ///
  /// An object that is marked for deletion still has its values.
  func object(_ value: PropertyValue, _ range: Range<Int>) throws(ScriptError) -> ManagedObject {
    guard case .object(let id) = value else {
      throw frames.notAnObject(value.kind, range)
    }
    return try object(id, range)
  }

  /// Returns an object whose values are only read.
  ///
  /// A row that was deleted and saved has its last values until its observer publishes.
  func readObject(_ id: ObjectID, _ range: Range<Int>) throws(ScriptError) -> ManagedObject {
    do {
      return try object(id, range)
    } catch {
      guard case .deletedObject = error.kind else { throw error }
      for name in session.controllerNames {
        guard let rows = session.controllers[name]?.observer?.rows,
          let object = rows.indexPath(of: id).flatMap({ rows.object(at: $0) })
        else { continue }
        if session.quirks.contains(.deletedRowsTrap) {
          throw frames.failure(.controller(.deletedRow("\(id)", of: name)), range)
        }
        return object
      }
      throw error
    }
  }

  /// Returns the object with an ID in the statements' context.
  func object(_ id: ObjectID, _ range: Range<Int>) throws(ScriptError) -> ManagedObject {
    if let object = session.context.object(id.number, in: id.entity.root) {
      // `Manga/3` must be a Manga, although its numbers are shared with other entities.
      if object.entity.isKindOf(entity: id.entity) { return object }
      throw frames.failure(.otherEntity("\(id)", actual: "\(object.objectID)"), range)
    }
    if let name = session.contextName(ofUnsaved: id) {
      throw frames.failure(.objectElsewhere("\(id)", context: name), range)
    }
    let wasThere = session.coordinator.store.hasHadObject(id.number, in: id.entity.root)
    throw frames.failure(
      wasThere ? .deletedObject("\(id)") : .noSuchObject("\(id)", objectsThere(id.entity)), range)
  }

  /// Returns the existing objects for a message about a missing one; none if the store cannot be
  /// read.
  private func objectsThere(_ entity: EntityDescription) -> ObjectsThere {
    let names = ((try? session.context.knownObjects(of: entity)) ?? []).map { known in
      switch known {
      case .object(let object): object.objectID
      case .fault(let id): id
      }
    }
    return ObjectsThere(
      entity: entity.name, count: names.count, first: names.first.map { "\($0)" },
      last: names.last.map { "\($0)" })
  }
}
