import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `controller books = recent section by publisher cache "Demo"`.
  ///
  /// The name may be defined anew; the old controller is then gone.
  func define(controller name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try refuseEntity(name)
    let definition = try resolve(syntax)
    let controller = try locating(syntax.range) {
      try FetchedResultsController(
        fetchRequest: definition.request, managedObjectContext: session.context,
        sectionNameKeyPath: definition.sectionNameKeyPath, cacheName: definition.cacheName)
    }
    let binding = ControllerBinding(name: name.text, controller: controller)
    controller.quirks = session.quirks
    if keepsReasons { turnLog.listen(to: binding) }
    session.define(binding)
    setDelegate(of: binding, to: .changes)
  }

  /// `delegate books didChange`.
  func setDelegate(
    of name: Name, to mode: Statement.DelegateMode
  ) throws(ScriptError) {
    let binding = try controller(name)
    warnOfDetachedTable(of: binding, name.range)
    setDelegate(of: binding, to: mode)
  }

  /// Warns where a table is told of changes no longer, since a controller has one
  /// delegate; as in an app it goes on to show what it showed.
  func warnOfDetachedTable(of binding: ControllerBinding, _ range: Range<Int>) {
    guard let recorder = binding.recorder as? TableRecorder else { return }
    let name = recorder.tableName
    warn(
      Diagnostic(
        severity: .warning,
        message: "table '\(name)' is no longer the delegate of '\(binding.name)' and will not "
          + "follow its changes; write 'table \(name) = \(binding.name)' to attach it again",
        range: range))
  }

  func setDelegate(of binding: ControllerBinding, to mode: Statement.DelegateMode) {
    binding.delegate = .mode(mode)
    setDelegate(of: binding, to: DelegateRecorder.recorder(for: mode, of: binding, emit: emit))
  }

  func setDelegate(of binding: ControllerBinding, to recorder: DelegateRecorder?) {
    binding.recorder = recorder
    let steps = recorder.map { recorder in
      // A callback may define its controller again, which ends the binding.
      StepWitness(of: recorder) { [weak session, weak binding] in
        if let binding { session?.stepper?.callbackDidEnd(of: binding) }
      }
    }
    binding.steps = steps
    binding.witness = steps.flatMap { witness(of: $0, for: binding.name) }
    binding.controller.delegate = binding.witness ?? steps
  }

  /// A witness of what a delegate is told, where somebody hears of breaches.
  private func witness(of delegate: StepWitness, for controller: String) -> ReplayWitness? {
    hearBreach.map { hear in ReplayWitness(of: delegate) { hear(controller, $0) } }
  }

  /// `delegate books { didChangeObject { … } }`.
  func setDelegate(of name: Name, to callbacks: [CallbackSyntax]) throws(ScriptError) {
    let binding = try controller(name)
    warnOfDetachedTable(of: binding, name.range)
    let source = source
    let context = binding.controller.managedObjectContext
    binding.delegate = .own(callbacks, source)
    let recorder = ScriptedRecorder(callbacks, of: binding, emit: emit) { [weak self] in
      self?.run($0, with: $1, in: source, on: context)
    }
    setDelegate(of: binding, to: recorder)
  }

  /// `change books where pages > 10`.
  func change(_ name: Name, _ clauses: RequestClauses) throws(ScriptError) {
    let binding = try controller(name)
    if let section = clauses.section { throw failure(.fixedClause("section by"), section.range) }
    if let cache = clauses.cache { throw failure(.fixedClause("cache"), cache.range) }
    var definition = RequestDefinition(request: binding.controller.fetchRequest)
    try apply(clauses, to: &definition)
    binding.controller.fetchRequest = definition.request
  }

  /// `quirk samePathMove on`: for every controller, those to come among them.
  func set(_ quirk: Statement.Quirk, isOn: Bool) {
    if isOn {
      session.quirks.insert(FetchedResultsQuirks(quirk))
    } else {
      session.quirks.remove(FetchedResultsQuirks(quirk))
    }
    for binding in session.controllers.values { binding.controller.quirks = session.quirks }
  }

  /// `delete cache "Demo"`.
  func deleteCache(_ name: ExpressionSyntax) throws(ScriptError) {
    let text = try string(name)
    try locating(name.range) { try session.coordinator.sectionCaches.removeCache(named: text) }
  }

  /// `delete caches`.
  func deleteCaches(_ range: Range<Int>) throws(ScriptError) {
    try locating(range) { try session.coordinator.sectionCaches.removeAll() }
  }

  /// Returns a controller by its name.
  func controller(_ name: Name) throws(ScriptError) -> ControllerBinding {
    if let binding = session.controllers[name.text] { return binding }
    if let meaning = session.anyMeaning(of: name.text) {
      throw failure(.notController(name.text, is: meaning), name.range)
    }
    throw failure(
      .unknownController(
        name.text, suggestion: nearestName(to: name.text, among: session.controllerNames)),
      name.range)
  }

  /// Returns the sections of a controller that has fetched.
  func sections(
    of binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) -> FetchedResultsSections {
    guard let sections = binding.controller.sections else {
      throw failure(.notFetched(binding.name), range)
    }
    return sections
  }
}

extension FetchedResultsQuirks {
  fileprivate init(_ quirk: Statement.Quirk) {
    self =
      switch quirk {
      case .samePathMove: .samePathMove
      case .updateAndMove: .updateAndMove
      case .sectionChangeAsUpdate: .sectionChangeAsUpdate
      }
  }
}
