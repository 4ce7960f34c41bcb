import Basics
import FetchedResults
import ScriptSyntax

/// Statements that define requests and run them.
struct RequestCommands {
  let session: Session
  let frames: FrameStack
  let names: NameLookup
  let evaluator: Evaluator
  let requests: RequestResolver
  let events: EventEmitter

  /// `request recent = Book where …`.
  func define(_ name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let definition = try requests.resolve(syntax)
    session.define(definition, as: name.text)
  }

  /// `request recent = stored "Recent"`: a request that is part of a model.
  ///
  /// Its `$x` are the present variables of the script.
  func define(_ name: Name, asStored stored: ExpressionSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let wanted = try evaluator.string(stored)
    guard var request = session.storedRequests[wanted] else {
      let candidates = session.storedRequests.keys.sorted()
      throw frames.failure(
        .unknown(.storedRequest, wanted, suggestion: nearestName(to: wanted, among: candidates)),
        stored.range)
    }
    if let predicate = request.predicate {
      var variables: [String: PropertyValue] = [:]
      for name in frames.variableNames {
        if case .value(let value)? = frames.variable(name) { variables[name] = value }
      }
      request.predicate = predicate.withSubstitutionVariables(variables)
      try frames.locating(stored.range) {
        _ = try request.predicate?.compile(
          for: request.entity, environment: session.context.environment, graph: session.context)
      }
    }
    session.define(RequestDefinition(request: request), as: name.text)
  }

  /// `fetch books` calls performFetch; `fetch Book where …` prints the rows.
  ///
  /// - Parameter keepsResult: Whether later statements at the prompt can use the objects as `_`.
  func fetch(_ syntax: RequestSyntax, keepsResult: Bool) throws(ScriptError) {
    if let binding = requests.fetchedController(syntax) {
      return try requests.performFetch(binding, syntax)
    }
    let definition = try requests.resolve(syntax)
    let request = definition.request
    switch request.resultType {
    case .managedObjects: try showObjects(of: definition, syntax, keepsResult)
    case .managedObjectIDs:
      session.note(.fetch(request))
      let ids = try frames.locating(syntax) { try session.context.fetchObjectIDs(request) }
      events.emit(.objectIDs(entity: request.entity.name, ids))
    case .dictionaries:
      let rows = try frames.locating(syntax) { try session.context.fetchDictionaries(request) }
      events.emit(.dictionaries(entity: request.entity.name, rows))
    case .count: try count(syntax)
    }
  }

  private func showObjects(
    of definition: RequestDefinition, _ syntax: RequestSyntax, _ keepsResult: Bool
  ) throws(ScriptError) {
    let objects = try requests.fetchObjects(of: definition, syntax)
    if keepsResult { session.keepResult(.value(.list(objects.map { .object($0.objectID) }))) }
    var rows: [ShownRow] = []
    rows.reserveCapacity(objects.count)
    var unreadable: [StoreError] = []
    for object in objects {
      // A result that was interrupted is incomplete, so it is dropped.
      if StopCheck.isWanted(after: 16) { return }
      var values: [(String, PropertyValue)] = []
      values.reserveCapacity(object.entity.propertyNames.count)
      for (index, name) in object.entity.propertyNames.enumerated() {
        let value = object.value(at: index)
        if value.isNull, object.entity.isExternal(index),
          let failure = session.coordinator.takeReadFailure()
        {
          unreadable.append(failure)
        } else {
          values.append((name, value))
        }
      }
      rows.append(ShownRow(id: object.objectID, values: values))
    }
    events.emit(.rows(entity: definition.request.entity.name, objects: rows))
    for failure in unreadable.prefix(Self.mostUnreadable) {
      events.emit(.note("not shown: \(failure)"))
    }
    if unreadable.count > Self.mostUnreadable {
      events.emit(.note("not shown: \(unreadable.count - Self.mostUnreadable) more values"))
    }
  }

  /// How many values that cannot be read are described.
  private static var mostUnreadable: Int { 3 }

  /// `count Book where …`.
  func count(_ syntax: RequestSyntax) throws(ScriptError) {
    events.emit(.value(PrintedValue(.int(Int64(try requests.count(syntax))))))
  }
}

extension EntityDescription {
  /// Whether a property is data that may be in a file of its own.
  fileprivate func isExternal(_ index: Int) -> Bool {
    index < attributes.count && attributes[index].allowsExternalBinaryDataStorage
  }
}
